import { basename } from "node:path";
import { messageOf } from "../core/errors.ts";
import type { Tool } from "../core/tool.ts";
import type { CustomToolParts, ToolVersion } from "./custom-tool.ts";
import type { FileProblem, ToolFile, ToolHosts } from "./host/tool-host.ts";
import { assignNames, foldName } from "./scan/assign-names.ts";
import { readChanged } from "./scan/read-changed.ts";
import type { Snapshot } from "./scan/read-tool-file.ts";
import { scanFolder, type Scan } from "./scan/scan-folder.ts";
import { hasChanged, refuseEntry, type ToolEntry } from "./scan/tool-entry.ts";
import {
  compareTools,
  describeEntry,
  type FileStatus,
  type ToolChanges,
  type WorkshopStatus,
} from "./tool-file-status.ts";
import { createVersionLoader, type Admission } from "./versions/load-versions.ts";
import { createOpenedVersions, createReleasedVersions, type Releases } from "./versions/released-versions.ts";
import type { VersionStore } from "./versions/version-store.ts";

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
  /** What calls of this file's tool are to take, also when somebody else has its name. */
  versionOfFile(fileName: string): ToolVersion | undefined;
  /** A content of this file that was kept, as a tool; undefined when it is gone or damaged. */
  openVersion(fileName: string, hash: string): ToolVersion | undefined;
  /** Before a content is run: mends its copy where that is damaged, or says why it can't be used. */
  mend(file: ToolFile): FileProblem | null;
  /** Takes its tools away. The hosts are closed by whoever opened them. */
  close(): Promise<void>;
}

/** Where the tools are put for all to use: the catalog. */
export interface Shelf {
  resolve(name: string): Tool | undefined;
  add(tool: Tool): void;
  remove(name: string): boolean;
}

/** Why, and what to do about it. */
export type Refusal = Pick<FileProblem, "message" | "hint">;

export interface WorkshopOptions<Chosen extends Releases> {
  /** Absolute. */
  readonly folder: string;
  /** As a person says it. */
  readonly shown: string;
  readonly shelf: Shelf;
  readonly versions: VersionStore;
  readonly hosts: () => Promise<ToolHosts>;
  readonly openAdmission: () => Admission;
  /** Why no tool file may be used here at all; null when they may. Left out: they may. */
  readonly whyRefused?: () => Promise<Refusal | null>;
  readonly explainInput: CustomToolParts["explainInput"];
  readonly isDisabled: (toolName: string) => boolean;
  /** Decides which content of a file calls take; created with the files it decides about. */
  readonly createReleases: (files: Pick<Workshop, "liveVersion" | "openVersion">) => Chosen;
  readonly now: () => number;
}

export function openWorkshop<Chosen extends Releases>(
  options: WorkshopOptions<Chosen>,
): Workshop & { readonly releases: Chosen } {
  const { folder, shelf, now } = options;
  const entries = new Map<string, ToolEntry>();
  /** By file: what was in use when all was put up last. */
  let inUse: ReadonlyMap<string, string> = new Map();
  let seenRevision = Number.NaN;
  let live: ReadonlyMap<string, ToolVersion> = new Map();
  let nameProblems: ReadonlyMap<string, FileProblem> = new Map();
  /** What `reload` compares with: at first, what was there when the folder was looked at first. */
  let reported: ReadonlyMap<string, string> | undefined;
  let scan: Scan | null = null;
  let loading: Promise<void> | undefined;
  let refusal: Refusal | null | undefined = options.whyRefused ? undefined : null;
  const parts: CustomToolParts = {
    hosts: options.hosts,
    explainInput: options.explainInput,
    async currentOf({ spec, file, fileName }) {
      // Its copy is damaged, and can't be mended: then it is looked for what else there is.
      const isGone = mend(file) !== null;
      if (isGone) opened.forget(file);
      await refresh(isGone);
      // What is being tried fails on its own account.
      const current = isLive(file) ? undefined : live.get(spec.name);
      // One that is called by its file has its name from nobody: another file's tool is not what was asked for.
      return current && current.fileName !== fileName && entries.has(fileName) ? undefined : current;
    },
    onCallEnded(file) {
      // It was replaced while this call waited for its turn: its host came back for it.
      if (!isLive(file)) retire(file);
    },
  };
  const loader = createVersionLoader({ ...options, parts });
  const opened = createOpenedVersions({ entries, versions: options.versions, parts });
  const releases = options.createReleases({ liveVersion, openVersion: opened.open });
  const released = createReleasedVersions(opened, releases);

  function liveVersion(toolName: string): ToolVersion | undefined {
    return live.get(toolName);
  }

  function isLive({ hash, shown }: ToolFile): boolean {
    for (const { file, spec } of live.values()) {
      if (file.shown === shown && (file.hash === hash || releases.inUse(spec.name)?.canary === hash)) return true;
    }
    return false;
  }

  function mend(file: ToolFile): FileProblem | null {
    return mendCopy(file, { versions: options.versions, snapshots: snapshots() });
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
    const isWorth = readChanged(entries, scan, { folder, before, now: now() }) || isReleasedAnew(entries.values());
    if (!isWorth && !isForced) return undefined;
    const unknown = loader.admit(entries.values());
    if (unknown.length === 0 && unintroduced().length === 0 && (refusal !== undefined || entries.size === 0)) {
      apply();
      // Another file may have given a name away just now.
      if (unintroduced().length === 0) return undefined;
    }
    loading = load(unknown).finally(() => (loading = undefined));
    return loading;
  }

  async function load(unknown: readonly ToolEntry[]): Promise<void> {
    refusal ??= (await options.whyRefused?.()) ?? null;
    if (refusal === null) await loader.describe(unknown);
    // Twice at most: what one file gives up, another one may have claimed.
    for (let round = 0; round === 0 || (round === 1 && unintroduced().length > 0); round++) {
      if (unintroduced().length > 0) await releases.ready();
      for (const { candidate, author } of unintroduced()) await releases.introduce(candidate!, author);
      apply();
    }
  }

  function unintroduced(): ToolEntry[] {
    if (refusal) return [];
    const claimed = new Set<string>();
    return [...entries.values()].filter((entry) => {
      const { candidate } = entry;
      const name = candidate && mayBeLive(candidate) ? foldName(candidate.spec.name) : null;
      // Of two files with one name only the first gets out.
      if (name === null || claimed.has(name)) return false;
      claimed.add(name);
      return isUnintroduced(entry);
    });
  }

  function isUnintroduced(entry: ToolEntry): boolean {
    const { candidate } = entry;
    if (!candidate || !mayBeLive(candidate)) return false;
    return releases.isNew(candidate) || released.isLost(entry);
  }

  /** Somebody decided about a version of these files, here or in another process. */
  function isReleasedAnew(files: Iterable<ToolEntry>): boolean {
    if (releases.revision() === seenRevision) return false;
    for (const entry of files) if (useOf(entry) !== inUse.get(entry.name) || isUnintroduced(entry)) return true;
    return false;
  }

  /** Not a name that somebody else has: then it never gets out. */
  function mayBeLive({ spec, fileName }: ToolVersion): boolean {
    const holder = holderOf(spec.name);
    if (holder !== undefined && holder !== fileName && entries.has(holder)) return false;
    return live.has(spec.name) || shelf.resolve(spec.name) === undefined;
  }

  /** The file that has the name now, or had it when the last process ended. */
  function holderOf(toolName: string): string | undefined {
    const present = live.get(toolName);
    if (present) return present.fileName;
    const entry = entries.get(releases.inUse(toolName)?.fileName ?? "");
    // The tool may have been moved out of it.
    const version = entry?.candidate ?? entry?.good;
    return version?.spec.name === toolName ? version.fileName : undefined;
  }

  /** All at once and without waiting: nobody sees half of it. */
  function apply(): void {
    seenRevision = releases.revision();
    if (refusal) for (const entry of entries.values()) refuseEntry(entry, refusal);
    const claims = [...entries.values()].map((entry) => ({ fileName: entry.name, ...released.of(entry) }));
    const assigned = assignNames(claims, {
      holderOf,
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
    const replaced = [...before.values()].map(({ file }) => file).filter((file) => !isLive(file));
    for (const file of new Set([...replaced, ...opened.takeUnused(isLive)])) retire(file);
    inUse = new Map([...entries.values()].map((entry) => [entry.name, useOf(entry)]));
    reported ??= liveNames();
  }

  function useOf({ candidate, good }: ToolEntry): string {
    const version = candidate ?? good;
    const use = version && releases.inUse(version.spec.name);
    return use ? `${use.stable} ${use.canary}` : "";
  }

  function liveNames(): Map<string, string> {
    return new Map([...live].map(([name, { tool }]) => [name, tool.version]));
  }

  function putUp(version: ToolVersion): void {
    const { fileName, tool } = version;
    if (!options.isDisabled(tool.name)) shelf.add(tool);
    const entry = entries.get(fileName)!;
    if (entry.good === version) return;
    entry.good = version;
    try {
      options.versions.noteGood(fileName, version.file.hash);
    } catch {
      // Only for the next start: a full disk must not keep a tool from being live.
    }
  }

  function* snapshots(): Generator<Snapshot> {
    for (const { snapshot } of entries.values()) if (snapshot) yield snapshot;
  }

  function statusOf(entry: ToolEntry): FileStatus {
    const version = [...live.values()].find(({ fileName }) => fileName === entry.name) ?? null;
    return describeEntry(entry, {
      shown: options.shown,
      version,
      released: released.of(entry).candidate,
      use: version && releases.inUse(version.spec.name),
      nameProblem: nameProblems.get(entry.name) ?? null,
    });
  }

  return {
    refresh: () => refresh(),
    refreshFor(toolName) {
      const version = live.get(toolName);
      const entry = version && entries.get(version.fileName);
      const isSame = entry && released.of(entry).candidate === version && scanFolder(folder, scan, now) === scan;
      return isSame && !isReleasedAnew([entry]) && !hasChanged(folder, entry, now()) ? undefined : refresh();
    },
    async reload() {
      await loading;
      for (const entry of entries.values()) if (entry.state === "broken" && entry.snapshot) entry.problem = null;
      scan = scan && { ...scan, folder: null };
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
    liveVersion,
    versionOfFile(fileName) {
      const entry = entries.get(fileName);
      const own = entry?.candidate ?? entry?.good;
      if (!entry || !own) return undefined;
      // What is said of the tool of another file is not about this one.
      const isOthers = (releases.inUse(own.spec.name)?.fileName ?? fileName) !== fileName;
      const { candidate, good } = isOthers ? entry : released.of(entry);
      return candidate ?? good ?? undefined;
    },
    openVersion: opened.open,
    releases,
    mend,
    async close() {
      await loading;
      for (const name of live.keys()) shelf.remove(name);
      live = new Map();
    },
  };
}

/** What runs must be what its version says: a copy that is damaged is written again, from what the file is known to have. */
function mendCopy(
  { shown, hash }: ToolFile,
  { versions, snapshots }: { readonly versions: VersionStore; readonly snapshots: Iterable<Snapshot> },
): FileProblem | null {
  const name = basename(shown);
  if (versions.find(name, hash)) return null;
  const hint = `Save ${shown} once more, and look at the folder .deckhand/versions: something changed it.`;
  for (const snapshot of snapshots) {
    if (snapshot.hash !== hash || snapshot.name !== name) continue;
    try {
      versions.restore(snapshot);
      return null;
    } catch (thrown) {
      return { message: `Its copy is damaged and could not be written again: ${messageOf(thrown)}.`, line: null, hint };
    }
  }
  return { message: `The copy of ${shown} that this version runs from is damaged.`, line: null, hint };
}
