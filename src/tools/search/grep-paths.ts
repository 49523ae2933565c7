import { failure } from "../failure.ts";
import type { Failure } from "../failure.ts";
import { compileGlob } from "./glob-pattern.ts";

export interface PathChoice {
  readonly ok: true;
  /** For ripgrep: a quick first choice, which may let too many through. */
  readonly options: readonly string[];
  /** The exact choice, for a path relative to the workdir. */
  takes(path: string): boolean;
}

export interface WantedPaths {
  readonly glob: string | undefined;
  readonly type: string | undefined;
  /** The searched folder, relative to the workdir. */
  readonly folder: string;
}

/**
 * Which files a search is about. Ripgrep's own globs would bring back what git ignores, so its file types make the first
 * choice by name, and the glob itself is applied to what was found. It may count from the folder or from the workdir.
 */
export function choosePaths({ glob, type, folder }: WantedPaths): PathChoice | Failure {
  if (type !== undefined && !/^[\w+-]{1,40}$/.test(type)) {
    return failure("invalid_input", "type is not the name of a language.", "Send one such as ts or py, or use glob.");
  }
  const typeOptions = type === undefined ? [] : [`--type=${type}`];
  if (glob === undefined) return { ok: true, options: typeOptions, takes: () => true };
  const isNegated = glob.startsWith("!");
  const compiled = compileGlob(isNegated ? glob.slice(1) : glob);
  if (!compiled.ok) return compiled;
  const fits = (path: string): boolean => {
    const names = path.split("/");
    const name = names.pop()!;
    return compiled.matches(names, name, false);
  };
  const start = folder === "." ? "" : `${folder}/`;
  const takes = (path: string): boolean =>
    (fits(path) || (path.startsWith(start) && fits(path.slice(start.length)))) !== isNegated;
  const isQuick = type === undefined && !isNegated && !compiled.lastNames.includes("*");
  const nameOptions = compiled.lastNames.map((name) => `--type-add=wanted:${name}`);
  return { ok: true, options: isQuick ? [...nameOptions, "--type=wanted"] : typeOptions, takes };
}
