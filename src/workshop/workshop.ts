import type { Tool } from "../core/tool.ts";
import { assignNames } from "./assign-names.ts";
import type { CustomToolParts, ToolVersion } from "./custom-tool.ts";
import type { FileProblem, ToolFile, ToolHosts } from "./host/tool-host.ts";
import { createVersionLoader, type Admit } from "./load-versions.ts";
import { scanFolder, type Scan } from "./scan-folder.ts";
import { compareTools, type FileStatus, type ToolChanges, type WorkshopStatus } from "./status.ts";
import { hasChanged, readEntry, type ToolEntry } from "./tool-entry.ts";
import type { VersionStore } from "./version-store.ts";

/**
 * The tool files of a workdir as tools of the catalog. A file goes through: read → admitted → asked for its spec (once per
 * content, in a process of its own) → given its name → live. Where it can't go on, it says why, and the content that worked
 * last stays live. A content that is replaced is retired: calls under way end on it.
 */
export interface Workshop {
  /** Looks at the folder. A promise when something must be loaded first; never rejects. */
  refresh(): Promise<void> | undefined;
  /** The same before a call: looks only at what this tool is made of, unless the folder changed. */
  refreshFor(toolName: string): Promise<void> | undefined;
  /** Looks also at what could not be loaded before; says what is different from the last time this was asked. */
  reload(): Promise<ToolChanges>;
  status(): WorkshopStatus;
  /** The version that calls of this tool take; undefined when it is not from a file. */
  liveVersion(toolName: string): ToolVersion | undefined;
  /** Takes its tools away. The hosts are closed by whoever opened them. */
  close(): Promise<void>;
}

/** Where the tools are put for all to use: the catalog. */
export interface Shelf {
  resolve(name: string): Tool | undefined;
  add(tool: Tool): void;
  remove(name: string): boolean;
}

export interface WorkshopOptions {
  /** Absolute. */
  readonly folder: string;
  /** As a person says it. */
  readonly shown: string;
  readonly shelf: Shelf;
  readonly versions: VersionStore;
  readonly hosts: () => Promise<ToolHosts>;
  readonly openAdmission: () => Admit;
  /** Why no tool file may be used here at all; null when they may. Left out: they may. */
  readonly whyRefused?: () => Promise<string | null>;
  readonly explainInput: CustomToolParts["explainInput"];
  readonly isDisabled: (toolName: string) => boolean;
  readonly now: () => number;
}

export function openWorkshop(options: WorkshopOptions): Workshop {
  const { folder, shelf, now } = options;
  const entries = new Map<string, ToolEntry>();
  let live: ReadonlyMap<string, ToolVersion> = new Map();
  let nameProblems: ReadonlyMap<string, FileProblem> = new Map();
  /** What `reload` compares with: at first, what was there when the folder was looked at first. */
  let reported: ReadonlyMap<string, string> | undefined;
  let scan: Scan | null = null;
  let loading: Promise<void> | undefined;
  let refusal: string | null | undefined = options.whyRefused ? undefined : null;
  const parts: CustomToolParts = {
    hosts: options.hosts,
    explainInput: options.explainInput,
    async currentOf(toolName) {
      await refresh();
      return live.get(toolName);
    },
    onCallEnded(file) {
      // It was replaced while this call waited for its turn: its host came back for it.
      if (!isLive(file)) retire(file);
    },
  };
  const loader = createVersionLoader({ ...options, parts });

  function isLive({ hash, shown }: ToolFile): boolean {
    for (const { file } of live.values()) if (file.hash === hash && file.shown === shown) return true;
    return false;
  }

  function retire(file: ToolFile): void {
    void options
      .hosts()
      .then((hosts) => hosts.retire(file))
      .catch(() => undefined);
  }

  function refresh(isForced = false): Promise<void> | undefined {
    if (loading) return loading.then(() => refresh(isForced));
    const before = scan;
    scan = scanFolder(folder, before, now);
    const isWorth = readChanged(scan, before);
    if (!isWorth && !isForced) return undefined;
    const unknown = loader.admit(entries.values());
    if (unknown.length === 0 && (refusal !== undefined || entries.size === 0)) {
      apply();
      return undefined;
    }
    loading = load(unknown).finally(() => (loading = undefined));
    return loading;
  }

  /** Reads what is new or different, forgets what is gone. False when all is as it was, and nobody waits for a person. */
  function readChanged(found: Scan, before: Scan | null): boolean {
    let isWorth = found !== before && forget(new Set(found.names));
    const at = now();
    for (const name of found.names) {
      const entry = entries.get(name);
      // What it imports may be there now.
      const mayBeMended = entry?.state === "broken" && found !== before;
      if (entry && !mayBeMended && !hasChanged(folder, entry, at)) {
        isWorth ||= entry.state === "untrusted" || entry.state === "quarantined";
        continue;
      }
      const read = readEntry(folder, name, { now: at, good: entry?.good ?? null });
      const isSame = entry?.snapshot && read.snapshot?.hash === entry.snapshot.hash;
      if (isSame) {
        const { state, problem, candidate } = entry;
        entries.set(name, { ...read, state, problem, candidate });
      } else {
        entries.set(name, read);
        isWorth = true;
      }
    }
    return isWorth;
  }

  function forget(names: ReadonlySet<string>): boolean {
    let isAny = false;
    for (const name of entries.keys()) if (!names.has(name)) isAny = entries.delete(name);
    return isAny;
  }

  async function load(unknown: readonly ToolEntry[]): Promise<void> {
    refusal ??= (await options.whyRefused?.()) ?? null;
    if (refusal === null) await loader.describe(unknown);
    apply();
  }

  /** All at once and without waiting: nobody sees half of it. */
  function apply(): void {
    if (typeof refusal === "string") for (const entry of entries.values()) refuse(entry, refusal);
    const claims = [...entries.values()].map(({ name, candidate, good }) => ({ fileName: name, candidate, good }));
    const assigned = assignNames(claims, {
      holderOf: (toolName) => live.get(toolName)?.fileName,
      whoHas(toolName) {
        const other = shelf.resolve(toolName);
        return other && live.get(other.name)?.tool !== other ? other.name : null;
      },
    });
    const before = live;
    live = assigned.live;
    nameProblems = assigned.problems;
    for (const [name, { tool }] of before) if (live.get(name)?.tool !== tool) shelf.remove(name);
    for (const [name, version] of live) if (before.get(name)?.tool !== version.tool) putUp(version);
    for (const { file } of before.values()) if (!isLive(file)) retire(file);
    reported ??= liveNames();
  }

  function liveNames(): Map<string, string> {
    return new Map([...live].map(([name, { tool }]) => [name, tool.version]));
  }

  function putUp(version: ToolVersion): void {
    const { fileName, tool } = version;
    if (!options.isDisabled(tool.name)) shelf.add(tool);
    const entry = entries.get(fileName)!;
    if (entry.candidate !== version) return;
    entry.good = version;
    try {
      options.versions.noteGood(fileName, version.file.hash);
    } catch {
      // Only for the next start: a full disk must not keep a tool from being live.
    }
  }

  function statusOf(entry: ToolEntry): FileStatus {
    const version = [...live.values()].find(({ fileName }) => fileName === entry.name);
    const isCurrent = version !== undefined && version === entry.candidate;
    return {
      file: `${options.shown}/${entry.name}`,
      state: entry.state === "loaded" && !isCurrent ? "broken" : entry.state,
      tool: version?.spec.name ?? null,
      version: version?.tool.version ?? null,
      isCurrent,
      problem: entry.problem ?? nameProblems.get(entry.name) ?? null,
    };
  }

  return {
    refresh: () => refresh(),
    refreshFor(toolName) {
      const version = live.get(toolName);
      const entry = version && entries.get(version.fileName);
      const isSame = entry?.candidate === version && scanFolder(folder, scan, now) === scan;
      return entry && isSame && !hasChanged(folder, entry, now()) ? undefined : refresh();
    },
    async reload() {
      await loading;
      for (const entry of entries.values()) if (entry.state === "broken" && entry.snapshot) entry.problem = null;
      scan = null;
      await refresh(true);
      const before = reported ?? new Map<string, string>();
      reported = liveNames();
      return compareTools(before, reported);
    },
    status: () => ({
      folder: options.shown,
      files: [...entries.values()].map(statusOf).sort((a, b) => (a.file < b.file ? -1 : 1)),
      total: scan?.total ?? 0,
    }),
    liveVersion: (toolName) => live.get(toolName),
    async close() {
      await loading;
      for (const name of live.keys()) shelf.remove(name);
      live = new Map();
    },
  };
}

function refuse(entry: ToolEntry, why: string): void {
  entry.candidate = null;
  entry.good = null;
  entry.state = "refused";
  entry.problem = { message: why, line: null, hint: "Install bubblewrap, or switch strict mode off." };
}
