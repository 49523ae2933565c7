import type { Redirection } from "unbash";
import type { Input, Redirect } from "../simple-command.ts";
import type { WordExpander } from "./expand/expand-word.ts";
import type { ShellWord } from "./scope.ts";

interface ReadRedirects {
  readonly redirects: readonly Redirect[];
  /** Null: stdin is what it was. */
  readonly input: Input | null;
  /** What other descriptors read from. */
  readonly descriptors: ReadonlyMap<number, Input>;
}

export function readRedirects(redirections: readonly Redirection[], expander: WordExpander): ReadRedirects {
  const redirects: Redirect[] = [];
  const descriptors = new Map<number, Input>();
  let input: Input | null = null;
  for (const redirection of redirections) {
    const { descriptor } = redirection;
    const fd = descriptor?.type === "FileDescriptor" ? descriptor.value : null;
    const isStdin = descriptor === undefined || fd === 0;
    if (redirection.type === "HereDoc") {
      const text = readHereDocument(redirection, expander);
      if (isStdin) input = toInput(text, "");
      else if (fd !== null) descriptors.set(fd, toInput(text, ""));
    } else if (redirection.type === "HereString") {
      const text = redirection.target && expander.single(redirection.target);
      if (isStdin && text) input = toInput(text, "\n");
      else if (text && fd !== null) descriptors.set(fd, toInput(text, "\n"));
    } else if (redirection.target) {
      const target = expander.single(redirection.target);
      redirects.push({ operator: operatorOf(redirection.operator, target), fd, target });
      if (isStdin && redirection.operator === "<&") input = fromDescriptor(target) ?? input;
      else if (isStdin && /^<>?$/.test(redirection.operator)) input = toFileInput(target);
      else if (fd !== null && redirection.operator === "<") descriptors.set(fd, toFileInput(target));
    }
  }
  return { redirects, input, descriptors };
}

/** `>& file` is another way to write `&> file`; `2>&1` and `>&-` name a descriptor. */
function operatorOf(operator: Redirect["operator"], { text }: ShellWord): Redirect["operator"] {
  return operator === ">&" && !/^(?:[0-9]+-?|-)$/.test(text) ? "&>" : operator;
}

function readHereDocument(redirection: Extract<Redirection, { type: "HereDoc" }>, expander: WordExpander): ShellWord {
  const { body, delimiter, operator } = redirection;
  const strip = (text: string) => (operator === "<<-" ? text.replace(/^\t+/gm, "") : text);
  if (delimiter?.quoted) {
    const text = strip(body.text);
    return { text, kind: "literal", prefix: text };
  }
  const word = expander.hereDocument(body.text, body.parts);
  return { ...word, text: strip(word.text) };
}

function toInput(word: ShellWord, end: string): Input {
  return word.kind === "dynamic" ? { kind: "dynamic", text: word.text + end } : { kind: "text", text: word.text + end };
}

/** What another descriptor reads from is not followed. */
function fromDescriptor({ text }: ShellWord): Input | null {
  if (text === "0") return null;
  return text === "-" ? { kind: "none" } : { kind: "commands", commands: [] };
}

function toFileInput(target: ShellWord): Input {
  return target.process ?? { kind: "file", path: target };
}
