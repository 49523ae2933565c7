import type { ToolVersion } from "./custom-tool.ts";
import type { FileProblem } from "./host/tool-host.ts";
import type { ContentsInUse } from "./versions/released-versions.ts";
import type { ToolEntry } from "./scan/tool-entry.ts";

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
  /** False when an earlier content stands in, because the file has none that can be used. */
  readonly isCurrent: boolean;
  /** What calls make of the content that the file has now; null when it can't be used. */
  readonly release: FileRelease | null;
  readonly problem: FileProblem | null;
}

/**
 * - `live`: they take it
 * - `tried`: some of them do
 * - `rolled_back`: none does, until a person acts
 * - `waiting`: none does yet
 */
export type FileRelease = "live" | "tried" | "rolled_back" | "waiting";

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

/** What is known of a file, for whoever asks. `released`: what calls are to take; `version`: what they do take. */
export function describeEntry(
  { name, state, problem, candidate }: ToolEntry,
  known: {
    readonly shown: string;
    readonly version: ToolVersion | null;
    readonly released: ToolVersion | null;
    readonly use: ContentsInUse | null;
    readonly nameProblem: FileProblem | null;
  },
): FileStatus {
  const { version, released, use } = known;
  const isCurrent = version !== null && version === released;
  return {
    file: `${known.shown}/${name}`,
    state: state === "loaded" && !isCurrent ? "broken" : state,
    tool: version?.spec.name ?? null,
    version: version?.tool.version ?? null,
    isCurrent,
    release: candidate && version && releaseOf(candidate, version, use),
    problem: problem ?? known.nameProblem ?? (candidate && !released ? nothingLeft : null),
  };
}

function releaseOf({ file }: ToolVersion, version: ToolVersion, use: ContentsInUse | null): FileRelease {
  if (file.hash === version.file.hash) return "live";
  if (file.hash === use?.canary) return "tried";
  return use?.out.includes(file.hash) ? "rolled_back" : "waiting";
}

const nothingLeft: FileProblem = {
  message: "It was rolled back, and the copy of what was stable is gone from .deckhand/versions.",
  line: null,
  hint: "Save another content, or run `deckhand rollout resume`.",
};

/** That calls take another content than the file has, in one sentence; null when they take it. */
export function describeRelease({ file, release, tool, version, isCurrent }: FileStatus): string | null {
  if (!isCurrent || release === null || release === "live") return null;
  return oneLine(`${file}: ${releaseTexts[release]}; ${version} is stable. See \`deckhand rollout explain ${tool}\`.`);
}

const releaseTexts: Readonly<Record<Exclude<FileRelease, "live">, string>> = {
  tried: "what it has now is being tried on a part of the calls",
  rolled_back: "what it has now was rolled back",
  waiting: "what it has now is not in use yet",
};

/** One sentence for a person or a model. */
export function describeProblem({ file, problem, isCurrent, version }: FileStatus): string | null {
  if (problem === null) return null;
  const line = problem.line === null ? "" : `:${problem.line}`;
  const standIn = version === null || isCurrent ? null : `Until then calls run ${version}.`;
  const more = [problem.hint, standIn].filter((text) => text !== null);
  const message = more.length === 0 ? problem.message : endSentence(problem.message);
  return oneLine(`${file}${line}: ${[message, ...more].join(" ")}`);
}

/** What a compiler says has no full stop. */
export function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** A name may hold whatever a file system lets it. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** By name: which version it was, which it is. */
export function compareTools(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): ToolChanges {
  return {
    added: [...now.keys()].filter((name) => !before.has(name)),
    changed: [...now].flatMap(([name, version]) => (before.has(name) && before.get(name) !== version ? [name] : [])),
    removed: [...before.keys()].filter((name) => !now.has(name)),
  };
}
