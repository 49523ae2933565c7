import { optionTable, parseOptions } from "../parse-options.ts";
import type { SimpleCommand } from "../simple-command.ts";
import type { Inner } from "./inner.ts";
import { literal } from "./scope.ts";

/** `!cmd` of dc, where `!<` and the like compare. */
export const unixEscape = /^[^![]*!(?![<>=])(.+)$/;
const lineEscape = /^\s*!(.+)$/;
const editorLine = /^:?(?:[\d,.$%]*)?!(.+)$/;
const recipeLine = /^(?:\t[@+-]*|[^\t:=#]+:[^;=]*;\s*[@+-]*)(.+)$/;

/** Where the command stands in a line that a program reads from stdin; the first group is the command. */
const commandLines: Readonly<Record<string, RegExp>> = {
  ed: /^(?:[\d,.$%]*)?(?:r |e )?!(.+)$/,
  red: /^!(.+)$/,
  ex: editorLine,
  vi: editorLine,
  vim: editorLine,
  nvim: editorLine,
  make: recipeLine,
  gmake: recipeLine,
  gdb: /^(?:shell|!|pipe\b.*\|)\s*(.+)$/,
  dc: unixEscape,
  gnuplot: /^\s*(?:!|system\s*\(?\s*["']|.*["'][|<]\s*)([^"']+)/,
  m4: /\be?syscmd\(`?(.{0,400}?)[`']?\)/,
  ftp: lineEscape,
  sftp: lineEscape,
  lftp: lineEscape,
  smbclient: lineEscape,
  telnet: lineEscape,
  mail: /^~[!|]\s*(.+)$/,
  mailx: /^~[!|]\s*(.+)$/,
};

/** `w !cmd` hands the text that is edited to a program. */
const writtenTo = /^(?:[\d,.$%]*)?w\s*!(.+)$/;
const makeOptions = optionTable("f|file|makefile= C|directory= I= j=? o= W=");

/** Commands that a program reads from stdin, or make from a file that the same text wrote, among other things. */
export function findInputCommands(command: SimpleCommand, fileText: (path: string) => string | undefined): Inner[] {
  const { name } = command;
  const pattern = Object.hasOwn(commandLines, name) ? commandLines[name] : undefined;
  if (!pattern) return [];
  return readText(command, fileText)
    .split("\n")
    .flatMap((line) => {
      const text = pattern.exec(line)?.[1];
      const piped = name === "ed" ? writtenTo.exec(line)?.[1] : undefined;
      if (piped !== undefined) return [{ kind: "text" as const, text: literal(`cat buffer | ${piped}`) }];
      return text === undefined ? [] : [{ kind: "text" as const, text: literal(text) }];
    });
}

function readText({ name, words, input }: SimpleCommand, fileText: (path: string) => string | undefined): string {
  const stdin = input.kind === "text" || input.kind === "dynamic" ? input.text : "";
  if (name !== "make" && name !== "gmake") return stdin;
  const files = parseOptions(words.slice(1), makeOptions).values("f");
  if (files.length === 0) return fileText("Makefile") ?? fileText("makefile") ?? "";
  return files.map(({ text }) => (/^(?:-|\/dev\/stdin)$/.test(text) ? stdin : (fileText(text) ?? ""))).join("\n");
}
