import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { SimpleCommand, Word } from "../safety/command/simple-command.ts";
import { findSecretBelow } from "../safety/path/find-secret-below.ts";
import { expandGlob } from "./expand-glob.ts";
import type { Judges } from "./judges.ts";
import type { TouchedPath } from "./subject.ts";

export interface CommandPaths {
  /** Arguments that lie in the workdir, or would. */
  readonly paths: readonly TouchedPath[];
  /** Arguments that certainly or possibly lead outside of it. */
  readonly outside: readonly string[];
  /** Why secrets may be read, in words. */
  readonly secrets: readonly string[];
}

/**
 * Which arguments of commands name files. Any word may: `cat .env` does not say that `.env` is one. A relative one is looked
 * at from every folder that a `cd` before it may have led to.
 */
export function wordPaths(commands: readonly SimpleCommand[], judges: Judges, cwd: string): CommandPaths {
  const found = { paths: [] as TouchedPath[], outside: [] as string[], secrets: [] as string[] };
  let folders = [cwd];
  for (const command of commands) {
    for (const word of argumentsOf(command)) {
      if (word.kind === "dynamic") found.outside.push(word.text);
      else judgeWord(word, folders, { judges, found });
    }
    for (const folder of folders) found.secrets.push(...secretsBelow(command, folder));
    if (command.name === "cd" || command.name === "pushd") {
      const next = nextFolders(command, folders);
      if (next === null) found.outside.push(command.source);
      else folders = [...new Set([...folders, ...next])];
    }
  }
  return found;
}

/** Programs that read no file, whatever they are given. */
const saysOnly = new Set("echo printf test [ true false : expr seq basename dirname kill sleep".split(" "));

const mostFolders = 8;

function nextFolders({ words }: SimpleCommand, folders: readonly string[]): string[] | null {
  const target = words.slice(1).find(({ text }) => !text.startsWith("-") || text === "-");
  if (target?.kind !== "literal" || target.text === "-" || folders.length > mostFolders) return null;
  return folders.map((folder) => resolve(folder, target.text));
}

function judgeWord(
  word: Word,
  folders: readonly string[],
  {
    judges,
    found,
  }: { readonly judges: Judges; readonly found: { paths: TouchedPath[]; outside: string[]; secrets: string[] } },
): void {
  for (const folder of folders) {
    const named = word.kind === "glob" ? expandGlob(word.text, folder) : [];
    if (named === null) found.secrets.push(`${word.text} means too many files to look at`);
    for (const path of [...pathsIn(word.text), ...(named ?? [])]) {
      const verdict = judges.path(path.startsWith("/") ? path : `${folder}/${path}`, "read");
      if (verdict.kind === "secret") found.secrets.push(`${path} looks like a file of secrets`);
      if (verdict.kind === "outside" && mayBePath(path)) found.outside.push(path);
      else found.paths.push({ given: path, access: "read", names: verdict.names });
    }
  }
}

/** Programs that read whatever lies below a folder, and whether they look behind names that begin with a dot. */
function secretsBelow({ name, words }: SimpleCommand, cwd: string): string[] {
  const options = words.slice(1).filter(({ text }) => text.startsWith("-") && text.length > 1);
  const has = (pattern: RegExp): boolean => options.some(({ text }) => pattern.test(text));
  const isPlainSearch =
    /^(?:e|f|z|bz|xz|p)?grep$/.test(name) && has(/^-[A-Za-z]*[rR]|^--(?:dereference-)?recursive|^-d$|^--directories/);
  const isComparison = name === "diff" && has(/^-[A-Za-z]*r|^--recursive/);
  const isTreeSearch = ["rg", "ag", "ack", "ugrep"].includes(name);
  if (!isPlainSearch && !isComparison && !isTreeSearch) return [];
  const hidden = !isTreeSearch || has(/^-[A-Za-z]*[u.]|^--(?:hidden|unrestricted|no-ignore|all-types)/);
  const operands = words.slice(1).filter(({ text, kind }) => kind === "literal" && !text.startsWith("-"));
  // The first one is what is searched for; as a folder it hardly exists.
  const folders = operands.length > (isComparison ? 0 : 1) ? operands.map(({ text }) => text) : ["."];
  return folders.flatMap((folder) => {
    const below = findSecretBelow(resolve(cwd, folder), { hidden });
    if (below.found !== null) return [`it would read ${below.found}, which looks like a file of secrets`];
    return below.isWhole ? [] : [`there are too many files below ${folder} to look for secrets among them`];
  });
}

function argumentsOf({ name, words, redirects }: SimpleCommand): Word[] {
  const files = redirects.flatMap(({ operator, target }) =>
    operator === "<&" || operator === ">&" || target.text === "/dev/null" ? [] : [target],
  );
  return saysOnly.has(name) ? files : [...words.slice(1), ...files];
}

/** The word itself, what comes after `=` in `--file=/etc/x`, and what is glued to a letter: `-f/etc/x`. */
function pathsIn(text: string): string[] {
  if (text === "") return [];
  const equals = text.indexOf("=");
  const value = equals >= 0 && equals < text.length - 1 ? [text.slice(equals + 1)] : [];
  if (!text.startsWith("-")) return [text, ...value];
  return /^-[A-Za-z]./.test(text) ? [text.slice(2), ...value] : value;
}

/** `/^a.*b$/` given to grep is outside the workdir only by its looks. */
function mayBePath(text: string): boolean {
  return !/[\^$|()\\{}]/.test(text) || existsSync(text);
}
