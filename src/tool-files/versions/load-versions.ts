import { messageOf } from "../../core/errors.ts";
import { createToolVersion, type CustomToolParts, type ToolVersion } from "../custom-tool.ts";
import type { FileProblem, ToolHosts } from "../host/tool-host.ts";
import type { Author } from "./released-versions.ts";
import type { FileState } from "../tool-file-status.ts";
import { partsToAdmit, type AdmittedPart, type ToolEntry } from "../scan/tool-entry.ts";
import type { VersionStore } from "./version-store.ts";

/** Who wrote a content that may be loaded, or why it may not. */
export type Verdict =
  | Author
  | { readonly state: Extract<FileState, "untrusted" | "quarantined">; readonly problem: FileProblem };

/** Decides which contents of tool files may be loaded. `parts`: the file first, then all that it imports. */
export interface Admission {
  admit(parts: readonly AdmittedPart[]): Verdict;
  /** The tool says something else of itself than its content before. Null when it may. */
  admitTraits(
    parts: readonly AdmittedPart[],
    change: { readonly changes: string; readonly promises: string },
  ): FileProblem | null;
}

export interface VersionLoader {
  /** Judges who may be loaded, and loads what is known already; returns those that must be asked what they are. */
  admit(entries: Iterable<ToolEntry>): ToolEntry[];
  /** Asks them, several at once. */
  describe(entries: readonly ToolEntry[]): Promise<void>;
}

/** So many files are asked at once. */
const mostAsked = 4;

export function createVersionLoader(options: {
  readonly versions: VersionStore;
  readonly hosts: () => Promise<ToolHosts>;
  /** Asked anew for each look: a person may have decided meanwhile. */
  readonly openAdmission: () => Admission;
  readonly parts: CustomToolParts;
}): VersionLoader {
  const { versions, parts } = options;

  function admitOne(entry: ToolEntry, admission: Admission): boolean {
    const verdict = admission.admit(partsToAdmit(entry.snapshot!));
    if (verdict === "person" || verdict === "agent") {
      entry.problem = null;
      entry.author = verdict;
      return true;
    }
    entry.state = verdict.state;
    entry.problem = verdict.problem;
    if (verdict.state === "untrusted") entry.good = null;
    else entry.good ??= findLastGood(entry.name);
    return false;
  }

  function load(entry: ToolEntry, make: () => ToolVersion): void {
    try {
      const version = make();
      const problem = judgeTraits(entry, version);
      entry.candidate = problem ? null : version;
      entry.state = problem ? "quarantined" : "loaded";
      entry.problem = problem;
    } catch (thrown) {
      const hint = "Make room on the disk, or look at the folder .deckhand.";
      fail(entry, { message: `It could not be kept: ${messageOf(thrown)}.`, line: null, hint });
    }
  }

  /** Calls are allowed by what a tool says of itself: other words need another approval. */
  function judgeTraits(entry: ToolEntry, { tool, spec }: ToolVersion): FileProblem | null {
    if (!entry.good && versions.isLastGood(entry.name, entry.snapshot!.hash)) return null;
    const before = (entry.good ??= findLastGood(entry.name));
    if (!before) return null;
    const promises = promisesOf({ tool, spec });
    if (promisesOf(before) === promises) return null;
    const changes = describeChanges(before, { tool, spec });
    return options.openAdmission().admitTraits(partsToAdmit(entry.snapshot!), { changes, promises });
  }

  function fail(entry: ToolEntry, problem: FileProblem): void {
    entry.state = "broken";
    entry.problem = problem;
    entry.good ??= findLastGood(entry.name);
  }

  function findLastGood(name: string): ToolVersion | null {
    const file = versions.findLastGood(name);
    const spec = file && versions.readSpec(file.hash);
    return spec ? createToolVersion(name, { file, spec }, parts) : null;
  }

  async function describeOne(entry: ToolEntry): Promise<void> {
    const snapshot = entry.snapshot!;
    try {
      const file = versions.keep(snapshot);
      const described = await (await options.hosts()).describe(file);
      if (!described.ok) return fail(entry, explainOutside(described.problem, snapshot.outside));
      const { spec } = described;
      versions.writeSpec(snapshot.hash, spec);
      load(entry, () => createToolVersion(entry.name, { file, spec }, parts));
    } catch (thrown) {
      fail(entry, { message: `It could not be asked what it is: ${messageOf(thrown)}.`, line: null, hint: null });
    }
  }

  return {
    admit(entries) {
      const admission = options.openAdmission();
      const unknown: ToolEntry[] = [];
      for (const entry of entries) {
        const { snapshot } = entry;
        if (snapshot === null) entry.good ??= findLastGood(entry.name);
        if (snapshot === null || entry.candidate || (entry.state === "broken" && entry.problem)) continue;
        if (!admitOne(entry, admission)) continue;
        const spec = versions.readSpec(snapshot.hash);
        if (spec) load(entry, () => createToolVersion(entry.name, { file: versions.keep(snapshot), spec }, parts));
        else unknown.push(entry);
      }
      return unknown;
    },
    async describe(entries) {
      const waiting = [...entries];
      const ask = async (): Promise<void> => {
        for (let entry = waiting.shift(); entry; entry = waiting.shift()) await describeOne(entry);
      };
      await Promise.all(Array.from({ length: Math.min(mostAsked, waiting.length) }, ask));
    },
  };
}

type Promising = Pick<ToolVersion, "tool" | "spec">;

function traitsOf({ tool: { traits }, spec }: Promising): Readonly<Record<string, unknown>> {
  const { readOnly, risk, idempotent, replay } = traits;
  return { read_only: readOnly, risk, idempotent, replay, resources: spec.resources ?? "everything" };
}

function promisesOf(version: Promising): string {
  return JSON.stringify(traitsOf(version));
}

/** Such as `read_only: false → true, risk: high → low`. */
function describeChanges(before: Promising, after: Promising): string {
  const was = traitsOf(before);
  return Object.entries(traitsOf(after))
    .map(([key, value]) => [key, JSON.stringify(was[key]), JSON.stringify(value)] as const)
    .filter(([, from, to]) => from !== to)
    .map(([key, from, to]) => `${key}: ${from} → ${to}`.replaceAll('"', ""))
    .join(", ");
}

function explainOutside(problem: FileProblem, outside: string | undefined): FileProblem {
  if (outside === undefined || !/cannot find|not found|outside/i.test(problem.message)) return problem;
  const hint = `It imports ${outside}, which lies outside the folder of tools: put it there, or make it a package.`;
  return { ...problem, hint };
}
