import { messageOf } from "../core/errors.ts";
import { createToolVersion, type CustomToolParts, type ToolVersion } from "./custom-tool.ts";
import type { FileProblem, ToolHosts } from "./host/tool-host.ts";
import type { Author } from "./releases.ts";
import { partsToAdmit, type AdmittedPart, type ToolEntry } from "./tool-entry.ts";
import type { VersionStore } from "./version-store.ts";

/** Says of a content, with all it imports, whether it may be loaded. */
export type Admit = (parts: readonly AdmittedPart[]) => Author | "untrusted" | "quarantined";

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
  readonly openAdmission: () => Admit;
  readonly parts: CustomToolParts;
}): VersionLoader {
  const { versions, parts } = options;

  function admitOne(entry: ToolEntry, admit: Admit): boolean {
    const verdict = admit(partsToAdmit(entry.snapshot!));
    if (verdict === "person" || verdict === "agent") {
      entry.problem = null;
      entry.author = verdict;
      return true;
    }
    entry.state = verdict;
    entry.problem = blocked[verdict];
    if (verdict === "untrusted") entry.good = null;
    else entry.good ??= findLastGood(entry.name);
    return false;
  }

  function load(entry: ToolEntry, make: () => ToolVersion): void {
    try {
      entry.candidate = make();
      entry.state = "loaded";
    } catch (thrown) {
      const hint = "Make room on the disk, or look at the folder .deckhand.";
      fail(entry, { message: `It could not be kept: ${messageOf(thrown)}.`, line: null, hint });
    }
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
      const admit = options.openAdmission();
      const unknown: ToolEntry[] = [];
      for (const entry of entries) {
        const { snapshot } = entry;
        if (snapshot === null) entry.good ??= findLastGood(entry.name);
        if (snapshot === null || entry.candidate || (entry.state === "broken" && entry.problem)) continue;
        if (!admitOne(entry, admit)) continue;
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

const blocked: Readonly<Record<"untrusted" | "quarantined", FileProblem>> = {
  untrusted: {
    message: "The folder brought it along, and you have not said that you trust it.",
    line: null,
    hint: "Look at it, then run `deckhand trust`.",
  },
  quarantined: {
    message: "A call of an agent wrote it.",
    line: null,
    hint: "Look at the change and approve it: `deckhand trust`.",
  },
};

function explainOutside(problem: FileProblem, outside: string | undefined): FileProblem {
  if (outside === undefined || !/cannot find|not found|outside/i.test(problem.message)) return problem;
  const hint = `It imports ${outside}, which lies outside the folder of tools: put it there, or make it a package.`;
  return { ...problem, hint };
}
