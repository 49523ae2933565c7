import { isReadOnlyAwk } from "./read-only-awk.ts";
import { isReadOnlyGit } from "./read-only-git.ts";
import { readExactly, type Reading } from "./read-only-options.ts";
import { isReadOnlySed } from "./read-only-sed.ts";
import { harmless, usages, versions } from "./read-only-table.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";

/**
 * Proved: the program, with these words, changes nothing, starts nothing else, connects to nothing, and reads only files that its
 * words name, so that whoever judges the words has judged the reading. Redirects and variables are for the caller. What the
 * tables do not list is not proved. A program found by its bare name is taken for what it is called.
 */
export function isReadOnlyProgram({ name, words }: SimpleCommand): boolean {
  const program = words[0];
  if (program === undefined || program.kind !== "literal" || !isInstalled(program.text)) return false;
  const rest = words.slice(1);
  if (harmless.has(name) || asksVersion(name, rest)) return true;
  const own = parsers.get(name);
  if (own !== undefined) return own(rest);
  const table = usages.get(name);
  const reading = table === undefined ? null : readExactly(rest, table);
  return reading !== null && (checks.get(name)?.(reading) ?? true);
}

/** A bare name or a folder of the system: `./ls` may be anything. */
function isInstalled(text: string): boolean {
  return !text.includes("/") || /^\/(?:usr\/)?(?:local\/)?bin\/[^/]+$/.test(text);
}

function asksVersion(name: string, rest: readonly Word[]): boolean {
  const [first] = rest;
  return rest.length === 1 && first?.kind === "literal" && versions.get(name)?.has(first.text) === true;
}

/** Programs whose words are not options and operands, or are code. */
const parsers: ReadonlyMap<string, (rest: readonly Word[]) => boolean> = new Map<
  string,
  (rest: readonly Word[]) => boolean
>([
  ["git", isReadOnlyGit],
  ["sed", isReadOnlySed],
  ["gsed", isReadOnlySed],
  ["awk", isReadOnlyAwk],
  ["gawk", isReadOnlyAwk],
  ["mawk", isReadOnlyAwk],
  ["nawk", isReadOnlyAwk],
  ["command", (rest) => /^-[vV]$/.test(rest[0]?.text ?? "") && isCertain(rest)],
  ["printf", isReadOnlyPrintf],
  ["test", isReadOnlyTest],
  ["[", isReadOnlyTest],
  ["lsof", isReadOnlyLsof],
]);

/** What holds besides the options. */
const checks: ReadonlyMap<string, (reading: Reading) => boolean> = new Map<string, (reading: Reading) => boolean>([
  ["cd", ({ operands }) => isPlace(operands[0])],
  ["date", ({ operands }) => operands.every(({ text }) => text.startsWith("+"))],
  ["diff", ({ given }) => !given.has("recursive") || given.has("no-dereference")],
  ["jq", ({ operands }) => operands.slice(0, 1).every(isPlainFilter)],
  ["yq", ({ operands }) => operands.every(isPlainFilter)],
  ["netstat", ({ given }) => given.has("numeric")],
  ["ps", ({ operands, values }) => operands.every(isPsDialect) && !values.some(({ text }) => /env/i.test(text))],
  ["tail", ({ operands }) => !operands.some(({ text }) => text.startsWith("+"))],
  // A file of further options.
  ...["nm", "size", "strings", "readelf", "objdump"].map((name): [string, (reading: Reading) => boolean] => [
    name,
    ({ operands }) => !operands.some(({ prefix }) => prefix === "" || prefix.startsWith("@")),
  ]),
]);

/** Home, the last folder and what only the shell knows are not among the words that are judged. */
function isPlace(word: Word | undefined): boolean {
  return word?.kind === "literal" && word.text !== "" && word.text !== "-" && !word.text.startsWith("~");
}

function isPsDialect({ kind, text }: Word): boolean {
  return kind === "literal" && /^(?:[auxfjlwrvTh]+|[0-9][0-9,]*)$/.test(text);
}

/** A filter that loads no module, file or program. The keywords are looked for in strings too. */
function isPlainFilter({ kind, text }: Word): boolean {
  return kind === "literal" && !loading.test(text);
}

const loading =
  /\b(?:import|include|modulemeta|get_search_list|load\w*|env\w*|strenv|system|exec|eval(?:_?\w*)?|split_doc)\b/i;

/** `-v` sets a variable, and so does `%n`. */
function isReadOnlyPrintf(rest: readonly Word[]): boolean {
  const [format] = rest[0]?.text === "--" ? rest.slice(1) : rest;
  if (format?.kind !== "literal" || /^-./.test(format.text)) return false;
  return !/%[-+ #0-9.*']*[hlLjztq]*n/.test(format.text.replaceAll("%%", ""));
}

/** `-v 'a[$(x)]'` makes the shell evaluate its operand. */
function isReadOnlyTest(rest: readonly Word[]): boolean {
  return isCertain(rest) && !rest.some(({ text }) => /^-[vR]$|\$\(|`/.test(text));
}

/** Its own kind of options; without `-n` it asks the network for names. */
function isReadOnlyLsof(rest: readonly Word[]): boolean {
  const known =
    /^(?:-[nPtaUl]+|-i(?:[46]?(?:tcp|udp)?(?::[0-9][0-9,-]*)?)?|-p|-sTCP:LISTEN|(?:tcp|udp)?:[0-9][0-9,-]*|[0-9][0-9,]*)$/i;
  return (
    rest.every(({ kind, text }) => kind === "literal" && known.test(text)) &&
    rest.some(({ text }) => /^-[A-Za-z]*n/.test(text))
  );
}

/** No word could turn out to be an operator that is not seen here. */
function isCertain(words: readonly Word[]): boolean {
  return words.every((word) => word.kind === "literal" || (/^[^-*?[]/.test(word.prefix) && word.isSplit !== true));
}
