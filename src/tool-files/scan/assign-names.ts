import type { FileProblem } from "../host/tool-host.ts";

export interface Claim<Version> {
  readonly fileName: string;
  /** What the file is now; null when that can't be used. */
  readonly candidate: Version | null;
  /** What worked last; it stands in when the candidate can't have its name. */
  readonly good: Version | null;
}

export interface Assigned<Version> {
  /** By the tool's name. */
  readonly live: ReadonlyMap<string, Version>;
  /** By the file's name: why its candidate is not live. */
  readonly problems: ReadonlyMap<string, FileProblem>;
}

type Named = { readonly spec: { readonly name: string }; readonly fileName: string };

/**
 * Who gets which name. A name belongs to one file: the one that has it keeps it, otherwise the first in the order of their
 * names. Names that differ only in case, `_` and `-` are one.
 */
export function assignNames<Version extends Named>(
  claims: readonly Claim<Version>[],
  { holderOf, whoHas }: NamesInUse,
): Assigned<Version> {
  const live = new Map<string, Version>();
  const problems = new Map<string, FileProblem>();
  const owners = new Map<string, string>();

  function take(version: Version): FileProblem | null {
    const { name } = version.spec;
    const other = whoHas(name);
    if (other !== null) return tellTaken(name, other);
    const owner = owners.get(foldName(name));
    if (owner !== undefined) return tellDouble(name, owner);
    owners.set(foldName(name), version.fileName);
    live.set(name, version);
    return null;
  }

  const isHolder = ({ fileName, candidate, good }: Claim<Version>): boolean =>
    [candidate, good].some((version) => version !== null && holderOf(version.spec.name) === fileName);
  const ordered = [...claims.filter(isHolder), ...claims.filter((claim) => !isHolder(claim))];
  for (const { fileName, candidate, good } of ordered) {
    const problem = candidate && take(candidate);
    if (problem) problems.set(fileName, problem);
    if ((!candidate || problem) && good) {
      const lost = take(good);
      if (lost && !problem) problems.set(fileName, lost);
    }
  }
  return { live, problems };
}

export interface NamesInUse {
  /** The file that has the name now. */
  readonly holderOf: (toolName: string) => string | undefined;
  /** The tool that is not from a file and has this name, or goes by it; null when there is none. */
  readonly whoHas: (toolName: string) => string | null;
}

function tellTaken(name: string, other: string): FileProblem {
  const message =
    other === name
      ? `The name "${name}" belongs to a built-in tool.`
      : `The name "${name}" is another name of the built-in tool "${other}".`;
  return { message, line: null, hint: "Give it another name in TOOL_SPEC." };
}

function tellDouble(name: string, owner: string): FileProblem {
  const message = `${owner} already has a tool named "${name}".`;
  return { message, line: null, hint: "Give one of the two another name, or remove one." };
}

export function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}
