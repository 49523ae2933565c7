import type { FileProblem } from "./host/tool-host.ts";

/**
 * - `loaded`: it is a tool
 * - `broken`: it is none as it is now; an earlier content of it may still work
 * - `untrusted`: the folder brought it along, and nobody trusts it yet
 * - `quarantined`: a call of an agent wrote it, and nobody approved that yet
 * - `refused`: nothing could hold it here
 */
export type FileState = "loaded" | "broken" | "untrusted" | "quarantined" | "refused";

export interface FileStatus {
  /** As a person says it: `tools/echo_tool.ts`. */
  readonly file: string;
  readonly state: FileState;
  /** The tool that calls reach; null when there is none. */
  readonly tool: string | null;
  readonly version: string | null;
  /** False when an earlier content stands in for what the file is now. */
  readonly isCurrent: boolean;
  readonly problem: FileProblem | null;
}

export interface WorkshopStatus {
  /** As a person says it. */
  readonly folder: string;
  readonly files: readonly FileStatus[];
  /** How many files there are; more than `files` where there are too many. */
  readonly total: number;
}

/** Names of tools. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** One sentence for a person or a model. */
export function describeProblem({ file, problem, isCurrent, version }: FileStatus): string | null {
  if (problem === null) return null;
  const line = problem.line === null ? "" : `:${problem.line}`;
  const hint = problem.hint === null ? "" : ` ${problem.hint}`;
  const standIn = version === null || isCurrent ? "" : ` Until then ${version} goes on working.`;
  return `${file}${line}: ${problem.message}${hint}${standIn}`;
}

/** By name: which version it was, which it is. */
export function compareTools(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): ToolChanges {
  return {
    added: [...now.keys()].filter((name) => !before.has(name)),
    changed: [...now].flatMap(([name, version]) => (before.has(name) && before.get(name) !== version ? [name] : [])),
    removed: [...before.keys()].filter((name) => !now.has(name)),
  };
}
