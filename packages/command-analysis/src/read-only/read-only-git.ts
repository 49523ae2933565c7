import { gitGlobals, gitUsages } from "./read-only-git-table.ts";
import { readExactly, type Reading } from "./read-only-options.ts";
import type { Word } from "../simple-command.ts";

/**
 * Git only looks. `-C` must be known: another folder may be another repository with a configuration of its own. That a folder
 * inside the workdir which merely looks like a repository is not taken for one is up to the environment of the process.
 */
export function isReadOnlyGit(rest: readonly Word[]): boolean {
  const globals = readExactly(rest, gitGlobals);
  if (globals === null || globals.values.some(({ kind }) => kind !== "literal")) return false;
  const [subcommand, ...words] = globals.operands;
  if (subcommand === undefined) return true;
  const table = subcommand.kind === "literal" ? gitUsages.get(subcommand.text) : undefined;
  const reading = table === undefined ? null : readExactly(words, table);
  if (reading === null || reading.values.some((word) => !isPlainFormat(word))) return false;
  return checks.get(subcommand.text)?.(reading) ?? true;
}

/** `%G?` and `%(signature)` start the program that checks signatures. */
function isPlainFormat({ kind, text }: Word): boolean {
  return kind === "literal" && !/%G|%\(\*?signature/i.test(text);
}

/** Subcommands that look with some operands and change something with others. */
const checks: ReadonlyMap<string, (reading: Reading) => boolean> = new Map<string, (reading: Reading) => boolean>([
  ["branch", (reading) => reading.operands.length === 0 || isListing(reading)],
  ["tag", (reading) => reading.operands.length === 0 || isListing(reading) || reading.given.has("n")],
  ["remote", isReadOnlyRemote],
  ["config", isReadOnlyConfig],
  ["stash", ({ operands }) => isFirst(operands, "list", "show")],
  ["worktree", ({ operands }) => operands.length === 1 && isFirst(operands, "list")],
  ["notes", ({ operands }) => operands.length === 0 || isFirst(operands, "list", "show")],
  ["reflog", ({ operands }) => operands.length === 0 || isFirst(operands, "show", "HEAD", "exists", "list")],
  ["symbolic-ref", ({ operands }) => isCounted(operands, 1)],
  ["help", ({ operands }) => operands.length === 0],
]);

function isFirst(operands: readonly Word[], ...names: readonly string[]): boolean {
  return operands[0]?.kind === "literal" && names.includes(operands[0].text);
}

function isCounted(operands: readonly Word[], count: number): boolean {
  return operands.length === count && operands.every(({ kind }) => kind === "literal");
}

function isListing({ given }: Reading): boolean {
  return ["list", "contains", "no-contains", "merged", "no-merged", "points-at"].some((name) => given.has(name));
}

function isReadOnlyRemote({ given, operands }: Reading): boolean {
  if (operands.length === 0) return !given.has("all") && !given.has("push");
  return isFirst(operands, "get-url") && isCounted(operands, 2);
}

/** One name and no more is a question; two set it. The words of newer versions have no dot, so older ones refuse them. */
function isReadOnlyConfig({ given, operands }: Reading): boolean {
  const has = (...names: readonly string[]): boolean => names.some((name) => given.has(name));
  // The person's own settings lie outside the workdir, and some hold tokens.
  if (has("global", "system")) return false;
  const isOfRepository = has("local", "worktree");
  if (has("list", "get-regexp", "regexp") || isFirst(operands, "list")) return isOfRepository;
  const key = isFirst(operands, "get") ? operands[1] : operands[0];
  const isPlainKey = key?.kind === "literal" && (isOfRepository || !/^(?:url|credential|http)\b/i.test(key.text));
  if (has("get", "get-all")) return isPlainKey;
  if (isFirst(operands, "get")) return isCounted(operands, 2) && isPlainKey;
  return isCounted(operands, 1) && isPlainKey && operands[0]!.text.includes(".");
}
