import { parseCounts, parsePaths, parseRecords } from "./grep-records.ts";
import type { GrepRecord } from "./grep-records.ts";
import type { RipgrepEnd } from "./ripgrep.ts";

export type OutputMode = "content" | "files" | "count";

/** What ripgrep printed, read: records and binaries, or files, or counts, as was asked for. */
export interface GrepFindings {
  readonly records: readonly GrepRecord[];
  /** Binary files that match. */
  readonly binaries: readonly string[];
  readonly files: readonly string[];
  readonly counts: readonly { readonly path: string; readonly count: number }[];
  /** There was more than this. */
  readonly isCut: boolean;
  /** How many files and folders could not be read. */
  readonly unreadable: number;
}

export const noFindings: GrepFindings = {
  records: [],
  binaries: [],
  files: [],
  counts: [],
  isCut: false,
  unreadable: 0,
};

export function readFindings({ output, isCut, unreadable }: RipgrepEnd, mode: OutputMode): GrepFindings {
  const none = { ...noFindings, isCut, unreadable };
  if (mode === "files") return { ...none, files: parsePaths(output) };
  if (mode === "count") return { ...none, counts: parseCounts(output) };
  return { ...none, ...parseRecords(output, isCut) };
}

export function pathsOf({ records, binaries, files, counts }: GrepFindings): Set<string> {
  const ofItems = [...records, ...counts].map(({ path }) => path);
  return new Set([...ofItems, ...binaries, ...files]);
}

export function keepPaths(findings: GrepFindings, takes: (path: string) => boolean): GrepFindings {
  const takesItem = ({ path }: { readonly path: string }): boolean => takes(path);
  return {
    ...findings,
    records: findings.records.filter(takesItem),
    binaries: findings.binaries.filter(takes),
    files: findings.files.filter(takes),
    counts: findings.counts.filter(takesItem),
  };
}

export function renamePaths(findings: GrepFindings, rename: (path: string) => string): GrepFindings {
  const renameItem = <Item extends { readonly path: string }>(item: Item): Item => ({
    ...item,
    path: rename(item.path),
  });
  return {
    ...findings,
    records: findings.records.map(renameItem),
    binaries: findings.binaries.map(rename),
    files: findings.files.map(rename),
    counts: findings.counts.map(renameItem),
  };
}

export function joinFindings(a: GrepFindings, b: GrepFindings): GrepFindings {
  return {
    records: [...a.records, ...b.records],
    binaries: [...a.binaries, ...b.binaries],
    files: [...a.files, ...b.files],
    counts: [...a.counts, ...b.counts],
    isCut: a.isCut || b.isCut,
    unreadable: a.unreadable + b.unreadable,
  };
}
