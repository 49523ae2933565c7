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

/** Which arguments of commands name files. Any word may: `cat .env` does not say that `.env` is one. */
export function wordPaths(commands: readonly SimpleCommand[], judges: Judges, cwd: string): CommandPaths {
  const paths: TouchedPath[] = [];
  const outside: string[] = [];
  const secrets: string[] = [];
  for (const word of commands.flatMap(argumentsOf)) {
    if (word.kind === "dynamic") {
      if (mayLeave(word.prefix)) outside.push(word.text);
      continue;
    }
    const named = word.kind === "glob" ? expandGlob(word.text, cwd) : [];
    if (named === null) secrets.push(`${word.text} means too many files to look at`);
    for (const path of [...pathsIn(word.text), ...(named ?? [])]) {
      const verdict = judges.path(path, "read");
      if (verdict.kind === "secret") secrets.push(`${path} looks like a file of secrets`);
      if (verdict.kind === "outside" && looksLikePath(path)) outside.push(path);
      else paths.push({ given: path, access: "read", names: verdict.names });
    }
  }
  return { paths, outside, secrets: [...secrets, ...commands.flatMap((command) => secretsBelow(command, cwd))] };
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

function argumentsOf({ words, redirects }: SimpleCommand): Word[] {
  const files = redirects.flatMap(({ operator, target }) =>
    operator === "<&" || operator === ">&" || target.text === "/dev/null" ? [] : [target],
  );
  return [...words.slice(1), ...files];
}

/** A value that is not known may be an absolute path, unless known text stands before it. */
function mayLeave(prefix: string): boolean {
  return prefix === "" || prefix.startsWith("/") || prefix.startsWith("~") || prefix.startsWith("-");
}

/** The word itself, and what comes after `=` in `--file=/etc/x`. */
function pathsIn(text: string): string[] {
  const equals = text.indexOf("=");
  const whole = text === "" || text.startsWith("-") ? [] : [text];
  return equals >= 0 && equals < text.length - 1 ? [...whole, text.slice(equals + 1)] : whole;
}

/** `/^a.*b$/` given to grep is outside the workdir only by its looks; a path has no such signs. */
function looksLikePath(text: string): boolean {
  return !/[\^$|()\\{}]/.test(text);
}
