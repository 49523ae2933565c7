import { sinksByLanguage } from "./code-tables.ts";
import type { Language } from "./interpreters.ts";
import { findTclCommands } from "./judge-tcl.ts";
import { scanCode } from "./scan-code.ts";

/** How far before a call its operand may stand; a search to the beginning for each call would take the square of the length. */
const nearby = 32;

/** A program that code starts. */
export interface ShellCall {
  /** As one would type it; null when it is not literal. */
  readonly command: string | null;
}

/** Every call that starts a program, in the order of the text. */
export function findShellTexts(language: Language, text: string): ShellCall[] {
  if (language === "tcl") return findTclCommands(text).map((command) => ({ command }));
  const sinks = sinksByLanguage[language];
  if (sinks === undefined) return [];
  const { code, strings, commands } = scanCode(language, text);
  if (language === "javascript" || language === "mongo") {
    // `pattern.exec(text)` is something else.
    if (
      !strings.some((value) => /child_process|^execa$|^shelljs$|^zx$|^cross-spawn$/.test(value)) &&
      !/\b(?:Bun|Deno|child_process)\b|(?<![\w$.])\$\s*"[0-9]+"|\bexecSync\b|\bspawnSync\b|\bprocess\.binding\b/.test(
        code,
      )
    )
      return [];
  }
  const calls: ShellCall[] = commands.map((index) => ({ command: readCommand(strings[index]!) }));
  const pattern = new RegExp(sinks.run.source, `g${sinks.run.flags.replace("g", "")}`);
  for (const match of code.matchAll(pattern)) {
    const rest = code.slice(match.index + match[0].length - (match[0].endsWith('"') ? 1 : 0));
    if (language === "awk") {
      calls.push(
        readAwk(match[0], { rest, strings, before: code.slice(Math.max(0, match.index - nearby), match.index) }),
      );
      continue;
    }
    const words = /%x|\bqx/.test(match[0]) ? readDelimited(code, match.index + match[0].length, match[0]) : undefined;
    // `os["execute"]` reaches the call through a value.
    calls.push({ command: match[0].endsWith("[") ? null : (words ?? readCall(match[0], rest, strings)) });
  }
  if (language === "perl" || language === "ruby") calls.push(...readPipes(code, strings));
  if (language === "perl") calls.push(...readReplacements(text));
  if (language === "python") calls.push(...readEscapes(text));
  // The module that starts programs is there, under a name of its own.
  if (calls.length === 0 && /^(?:javascript|python)$/.test(language) && loadsStarter(code, strings))
    calls.push({ command: null });
  return calls;
}

function readCall(sink: string, rest: string, strings: readonly string[]): string | null {
  if (/\bDeno\b/.test(sink)) {
    // `new Deno.Command("rm", { args: ["-rf", "a"] })`
    const inside = rest.slice(0, 1000).split(")")[0] ?? "";
    const parts = [...inside.matchAll(/"([0-9]+)"/g)].map(([, index]) => strings[Number(index)] ?? "");
    return parts.length === 0 ? null : parts.map(quote).join(" ");
  }
  // `popen("sh", "w")`: the second is a direction, and what is written into it is not known.
  const opened = /popen/.test(sink) ? /^[\s(]*"([0-9]+)"\s*,\s*"([0-9]+)"/.exec(rest) : null;
  if (opened !== null && /^[rwa][b+t]*$/.test(strings[Number(opened[2])] ?? ""))
    return readCommand(strings[Number(opened[1])] ?? "");
  return readArguments(rest, strings);
}

/** `open(F, "|cmd")`, `open(F, "cmd|")`, `open(F, "-|", "cmd")`. */
function readPipes(code: string, strings: readonly string[]): ShellCall[] {
  return [...code.matchAll(/\bopen\b[^;{}]{0,120}/g)].flatMap(([call]) => {
    const values = [...call.matchAll(/"([0-9]+)"/g)].map(([, index]) => (strings[Number(index)] ?? "").trim());
    const mode = values.findIndex((value) => value === "|-" || value === "-|");
    if (mode >= 0) {
      const rest = values.slice(mode + 1);
      return [
        { command: rest.length === 1 ? readCommand(rest[0]!) : rest.length === 0 ? null : rest.map(quote).join(" ") },
      ];
    }
    const pipe = values.find((value) => value.length > 1 && (value.startsWith("|") || value.endsWith("|")));
    return pipe === undefined ? [] : [{ command: readCommand(pipe.replace(/^\|\s*|\s*\|$/g, "")) }];
  });
}

/** `s/…/code/e` */
function readReplacements(text: string): ShellCall[] {
  const found = [
    ...text.matchAll(/\bs([/#|!,~])(?:\\.|(?!\1)[^\\\n]){0,300}\1((?:\\.|(?!\1)[^\\\n]){0,300})\1[a-z]*e/g),
    ...text.matchAll(/\bs(\{)[^}\n]{0,300}\}\s*\{([^}\n]{0,300})\}[a-z]*e/g),
  ];
  return found.slice(0, 16).flatMap(([, , code]) => findShellTexts("perl", code!));
}

/** `!cmd` and `%sx cmd` of interactive Python. */
function readEscapes(text: string): ShellCall[] {
  return [...text.matchAll(/^[ \t]*(?:!{1,2}|%(?:sx|system)[ \t])[ \t]*([^\n=]+)$/gm)].map(([, command]) => ({
    command: command!,
  }));
}

function loadsStarter(code: string, strings: readonly string[]): boolean {
  return (
    strings.some((value) => /^(?:node:)?child_process$|^subprocess$/.test(value)) ||
    (/\bimport\b/.test(code) && /\b(?:subprocess|pexpect|pty)\b/.test(code))
  );
}

/** `("cmd")`, `("cmd", args…)`, `(["cmd", "a"])`, `"cmd"`, `("cmd", ["a"])`: literals only, up to what is no literal. */
function readArguments(rest: string, strings: readonly string[]): string | null {
  const parts: string[] = [];
  const item = /[\s([,]*"([0-9]+)"/y;
  let end = 0;
  for (let match = item.exec(rest); match !== null; match = item.exec(rest)) {
    parts.push(strings[Number(match[1])]!);
    end = item.lastIndex;
  }
  const next = rest.slice(end).trimStart()[0];
  // Options follow as a name or an object; anything else is part of the command.
  const isWhole =
    next === undefined ||
    ")];}".includes(next) ||
    (next === "," && /^\s*,\s*(?:\{|[a-z_]+\s*[=:]|\(|function|async|\w+\s*=>)/.test(rest.slice(end)));
  if (parts.length === 0 || !isWhole) return null;
  const [first = ""] = parts;
  // A program with separate arguments: each is one word.
  return readCommand(parts.length === 1 ? first : parts.map(quote).join(" "));
}

function readAwk(
  sink: string,
  { rest, strings, before }: { rest: string; strings: readonly string[]; before: string },
): ShellCall {
  if (sink.startsWith("system"))
    return { command: /^\s*"[0-9]+"\s*\)/.test(rest) ? readArguments(rest, strings) : null };
  const index = sink.includes("getline")
    ? /"([0-9]+)"\s*$/.exec(before)?.[1]
    : /^&?\s*"([0-9]+)"\s*(?:[;}\n]|$)/.exec(rest)?.[1];
  return { command: index === undefined ? null : (strings[Number(index)] ?? null) };
}

function readDelimited(code: string, from: number, opener: string): string | null {
  const open = opener.at(-1)!;
  const close = { "(": ")", "{": "}", "[": "]", "<": ">" }[open] ?? open;
  const window = code.slice(from, from + 4096);
  const end = window.indexOf(close);
  if (end < 0) return null;
  const text = window.slice(0, end);
  return /[$@#]|"[0-9]+"/.test(text) ? null : text;
}

/** Variables that a language puts into its strings make a command unknown. */
function readCommand(text: string): string | null {
  return /#\{|\$\{|(?<!\\)\$\w|@\{/.test(text) && !/^\S+$/.test(text.replace(/\$\w+/g, "")) ? null : text;
}

function quote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
