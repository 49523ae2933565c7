import { RuntimeError } from "../../core/errors.ts";
import { splitWords, type PatternWord } from "./pattern-words.ts";

/**
 * One permission rule:
 * - `bash`: every call of the tool; `*`: every tool; `mcp_*`: every tool whose name begins so
 * - `bash(npm run *)`: commands by their words; a `*` word at the end stands for any further words, elsewhere for one
 * - `write(src/**)`: paths relative to the workdir; to deny and to ask, `read` means every call that reads there, `write` and
 *   `edit` every call that writes there
 * - `web_fetch(domain:example.com)`: that host and those below it
 */
export interface Rule {
  /** As it was written. */
  readonly text: string;
  readonly tool: string;
  readonly spec: RuleSpec | null;
}

export type RuleSpec =
  | { readonly kind: "command"; readonly words: readonly PatternWord[]; readonly takesMore: boolean }
  | { readonly kind: "path"; readonly pattern: string }
  | { readonly kind: "domain"; readonly domain: string };

/** The canonical name of a tool, by any of its names; undefined when there is none. */
export type CanonicalName = (name: string) => string | undefined;

/** Throws CONFIG_INVALID with one sentence. */
export function parseRule(text: string, canonicalName: CanonicalName): Rule {
  const { name, spec } = takeApart(text);
  const tool = name.includes("*") ? name : (canonicalName(name) ?? name);
  // `write(**)` is about every path, whatever tool writes there; `write` is about that tool.
  const isAny = spec === "*" || spec === "**";
  if (isAny && pathTools.has(tool)) return { text, tool, spec: { kind: "path", pattern: "**" } };
  if (spec === null || isAny) return { text, tool, spec: null };
  return { text, tool, spec: parseSpec(text, tool, spec) };
}

function takeApart(text: string): { name: string; spec: string | null } {
  const trimmed = text.trim();
  const open = trimmed.indexOf("(");
  const name = open < 0 ? trimmed : trimmed.slice(0, open).trim();
  if (!/^[\w.:-]*\*?$/.test(name) || name === "") throw wrong(text, "a tool's name comes first, as in bash(npm test)");
  if (open < 0) return { name, spec: null };
  if (!trimmed.endsWith(")")) throw wrong(text, 'it has "(" but does not end in ")"');
  const spec = trimmed.slice(open + 1, -1).trim();
  if (spec === "") throw wrong(text, `the parentheses are empty; write ${name} for every call of it`);
  return { name, spec };
}

function parseSpec(text: string, tool: string, spec: string): RuleSpec {
  if (tool === "bash") return parseCommand(text, spec);
  if (spec.startsWith("domain:")) return parseDomain(text, spec.slice("domain:".length).trim());
  if (pathTools.has(tool)) return parsePath(text, spec);
  throw wrong(text, `${tool} takes no pattern; bash takes words, file tools take a path, web_fetch takes domain:HOST`);
}

const pathTools = new Set(["read", "write", "edit", "list_files", "glob", "grep"]);

function parseCommand(text: string, spec: string): RuleSpec {
  const words = splitWords(spec);
  if (words === null) throw wrong(text, "a quote is not closed");
  const operator = words.find(
    ({ text: word, isExact }) => (!isExact && /^(?:&&|\|\|?|;|&)$/.test(word)) || (!isExact && word.endsWith(";")),
  );
  if (operator) {
    throw wrong(
      text,
      `"${operator.text}" joins commands, and a rule speaks of one: the parts of a compound command are judged one by one`,
    );
  }
  const last = words.at(-1);
  // `npm run:*`, as other agents write it.
  if (last && !last.isExact && last.text.endsWith(":*") && last.text.length > 2) {
    const stem = { text: last.text.slice(0, -2), isExact: false };
    return { kind: "command", words: [...words.slice(0, -1), stem], takesMore: true };
  }
  const takesMore = last !== undefined && !last.isExact && last.text === "*";
  return { kind: "command", words: takesMore ? words.slice(0, -1) : words, takesMore };
}

function parsePath(text: string, pattern: string): RuleSpec {
  if (pattern.startsWith("/") || pattern.startsWith("~") || pattern.split("/").includes("..")) {
    throw wrong(text, "paths are relative to the workdir and stay in it; what is outside is refused anyway");
  }
  return { kind: "path", pattern };
}

function parseDomain(text: string, given: string): RuleSpec {
  const domain = given.toLowerCase().replace(/^\*\./, "").replace(/\.$/, "");
  if (!/^[\p{Letter}\p{Number}.-]+$/u.test(domain)) throw wrong(text, `"${given}" is not a host name`);
  return { kind: "domain", domain };
}

function wrong(text: string, why: string): RuntimeError {
  return new RuntimeError("CONFIG_INVALID", `The permission rule "${text}" can't be used: ${why}.`);
}
