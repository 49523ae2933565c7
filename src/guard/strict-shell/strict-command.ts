import { resolve } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { PathOperation } from "../path/judge-path.ts";
import { judgePath } from "../path/judge-path.ts";
import { openPathGuard } from "../path/open-path-guard.ts";
import type { PathGuard } from "../path/open-path-guard.ts";
import { isHeldBack, strictPrograms } from "./strict-programs.ts";
import { readStrictOptions } from "./strict-options.ts";
import { pathParts, pathProblem, splitStrictWords } from "./strict-words.ts";

export type StrictVerdict =
  /** To be started as it is, without a shell. The name has no folder: it is looked for in folders outside the workdir. */
  | { readonly ok: true; readonly argv: readonly [string, ...string[]] }
  | { readonly ok: false; readonly reason: string };

export interface StrictPlace {
  readonly workdir: string;
  /** Where it will run; the workdir unless given. */
  readonly cwd?: string;
  /** Whether the operating system holds what it starts. */
  readonly sandboxed: boolean;
}

/**
 * What STRICT_WORKDIR_ONLY lets through of a shell command: one program with plain words, none of which names anything
 * outside the workdir, links included. Without a sandbox only programs and options of a short list. It limits what can be
 * asked for; what an allowed program does with it, only a sandbox limits. Never throws.
 */
export function judgeStrictCommand(text: string, place: StrictPlace): StrictVerdict {
  const split = splitStrictWords(text);
  if (!split.ok) return split;
  const [name = "", ...rest] = split.words;
  const problem = split.words.map(pathProblem).find((each) => each !== undefined);
  if (problem !== undefined) return refuse(problem);
  if (name.includes("=")) return refuse("variables can't be set in front of a program");
  if (!programName.test(name)) return refuse(`${JSON.stringify(name)} is not the plain name of a program`);
  const read = readWords(name, rest, place);
  if (!read.ok) return read;
  const refusal = findRefusal(read.words, read.does, place);
  return refusal === undefined ? { ok: true, argv: [name, ...read.argv] } : refuse(refusal);
}

const programName = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;

type ReadWords =
  | {
      readonly ok: true;
      readonly does: readonly PathOperation[];
      /** What could be paths. */
      readonly words: readonly string[];
      readonly argv: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

function readWords(name: string, words: readonly string[], { sandboxed }: StrictPlace): ReadWords {
  const program = strictPrograms.get(name);
  if (!sandboxed) {
    if (program === undefined) return refuse(`${name} is not among the programs that may run without a sandbox`);
    const read = readStrictOptions(name, words, program);
    return read.ok ? { ...read, words, does: ["read", read.does] } : read;
  }
  if (isHeldBack(name)) return refuse(`${name} can run anything, so it may not run`);
  // Of a program that is not known: whatever may be shown to it and removed by it.
  return { ok: true, does: ["read", program?.does ?? "delete"], words, argv: words };
}

const changes: ReadonlySet<PathOperation> = new Set(["write", "mkdir", "move", "delete"]);

/** Why one of the words may not be used as a path. A word that names nothing is none, unless it may be made. */
function findRefusal(
  words: readonly string[],
  does: readonly PathOperation[],
  { workdir, cwd = workdir, sandboxed }: StrictPlace,
): string | undefined {
  const makes = !sandboxed && does.some((operation) => changes.has(operation));
  for (const word of words) {
    for (const part of pathParts(word)) {
      if (part === "" || part === "." || part.startsWith("-")) continue;
      const path = resolve(cwd, part);
      if (!makes && isNothing(path, workdir)) continue;
      const verdicts = does.map((operation) => judgePath(path, operation, { workdir }));
      const refused = verdicts.find(({ allowed }) => !allowed);
      if (refused !== undefined) return (refused.reason ?? part).replaceAll(path, part).replace(/\.$/, "");
    }
  }
  return undefined;
}

function isNothing(path: string, workdir: string): boolean {
  let guard: PathGuard | undefined;
  try {
    guard = openPathGuard({ root: workdir });
    const place = guard.find(path);
    return place.ok ? place.stats === undefined : place.kind === "invalid";
  } catch (thrown) {
    return codeOf(thrown) === "ENOTDIR" || codeOf(thrown) === "ENAMETOOLONG";
  } finally {
    guard?.close();
  }
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
