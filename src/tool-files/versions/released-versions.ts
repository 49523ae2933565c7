import { createToolVersion, type CustomToolParts, type ToolVersion } from "../custom-tool.ts";
import type { ToolFile } from "../host/tool-host.ts";
import type { ToolEntry } from "../scan/tool-entry.ts";
import type { VersionStore } from "./version-store.ts";

/** Kept contents of tool files, opened as tools. */
export interface OpenedVersions {
  /** A content of this file that was kept, as a tool; undefined when it is gone or damaged. */
  readonly open: (fileName: string, hash: string) => ToolVersion | undefined;
  /** What was opened and is not among these any more. It is forgotten then. */
  takeUnused(isUsed: (file: ToolFile) => boolean): ToolFile[];
  /** It turned out that its copy is gone. */
  forget(file: ToolFile): void;
}

/** The contents of tool files that calls take, where those are not simply what the files have. */
export interface ReleasedVersions {
  /** What calls of this file's tool are to take: what is stable of it. */
  of(entry: ToolEntry): Released;
  /** What is stable of this file's tool is nowhere to be found. */
  isLost(entry: ToolEntry): boolean;
}

export interface Released {
  readonly candidate: ToolVersion | null;
  /** What stands in where there is no candidate. */
  readonly good: ToolVersion | null;
}

export function createOpenedVersions(options: {
  readonly entries: ReadonlyMap<string, ToolEntry>;
  readonly versions: VersionStore;
  readonly parts: CustomToolParts;
}): OpenedVersions {
  const { entries, versions, parts } = options;
  const opened = new Map<string, ToolVersion>();

  function open(fileName: string, hash: string): ToolVersion | undefined {
    const present = entries.get(fileName);
    const known = [present?.candidate, present?.good, opened.get(hash)];
    const version =
      known.find((each) => each?.file.hash === hash && each.fileName === fileName) ?? read(fileName, hash);
    if (version) opened.set(hash, version);
    return version;
  }

  function read(fileName: string, hash: string): ToolVersion | undefined {
    const file = versions.find(fileName, hash);
    const spec = file && versions.readSpec(hash);
    return spec && createToolVersion(fileName, { file, spec }, parts);
  }

  return {
    open,
    takeUnused(isUsed) {
      const unused = [...opened.values()].map(({ file }) => file).filter((file) => !isUsed(file));
      for (const { hash } of unused) opened.delete(hash);
      return unused;
    },
    forget({ hash }) {
      opened.delete(hash);
      for (const entry of entries.values()) if (entry.good?.file.hash === hash) entry.good = null;
    },
  };
}

export function createReleasedVersions({ open }: OpenedVersions, releases: Releases): ReleasedVersions {
  function useOf({ candidate, good }: ToolEntry): ContentsInUse | null {
    const version = candidate ?? good;
    return version && releases.inUse(version.spec.name);
  }

  return {
    of(entry) {
      const { name, candidate, good } = entry;
      const use = useOf(entry);
      if (!use || use.stable === candidate?.file.hash) return { candidate, good };
      const stable = open(name, use.stable);
      if (!candidate) return { candidate, good: stable ?? good };
      // Better no tool than one that was rolled back.
      const isOut = use.isPinned || use.out.includes(candidate.file.hash);
      return stable || !isOut ? { candidate: stable ?? candidate, good } : { candidate: null, good: null };
    },
    isLost(entry) {
      const { name, candidate } = entry;
      const use = candidate && useOf(entry);
      return use !== null && use.stable !== candidate?.file.hash && open(name, use.stable) === undefined;
    },
  };
}

/** Who made a content: what an agent wrote, and a person approved, is not what the person wrote. */
export type Author = "person" | "agent";

/** Which contents of a tool calls take, where that is not simply what its file has. */
export interface Releases {
  /** Before it resolves nothing is known of what was decided in other processes. */
  ready(): Promise<void>;
  /** Another number whenever another answer may be given to the questions below; asked before every call. */
  revision(): number;
  /** Whether this content of the file was not told of before. */
  isNew(version: ToolVersion): boolean;
  /** Resolves when it is decided what becomes of it. Never rejects. */
  introduce(version: ToolVersion, author: Author): Promise<void>;
  /** By their hashes; null when nothing was decided: then it is what the file has. */
  inUse(toolName: string): ContentsInUse | null;
}

export interface ContentsInUse {
  /** The file whose contents they are. */
  readonly fileName: string;
  readonly stable: string;
  /** Being tried; null when none is. */
  readonly canary: string | null;
  /** These were rolled back, and are not used. */
  readonly out: readonly string[];
  /** A person said that nothing but the stable one is used. */
  readonly isPinned: boolean;
}
