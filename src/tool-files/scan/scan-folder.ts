import { lstatSync, readdirSync, type Stats } from "node:fs";
import { codeOf } from "../../core/errors.ts";

/** What tells one state of a file from another without reading it. */
export interface Stamp {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

export interface Scan {
  /** Names of the files that may be tools, in order. */
  readonly names: readonly string[];
  /** How many there are; `names` may hold fewer. */
  readonly total: number;
  readonly folder: Stamp | null;
  /** When it was first seen like this, on a clock that only goes forward. */
  readonly seenAt: number;
  /** That was so lately that a further change may not show in its stamp. */
  readonly isUnsettled: boolean;
}

/** Beyond this many something else is wrong: `tools/` is full of files that are no tools. */
const mostFiles = 1000;

/** Lists the folder again only when it changed. Throws nothing: a folder that can't be listed has no tools. */
export function scanFolder(folder: string, before: Scan | null, now: () => number): Scan {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return nothing;
  const isSame = before !== null && isSameStamp(before.folder, stats);
  if (isSame && !before.isUnsettled) return before;
  const all = toolNames(folder);
  const at = now();
  const seenAt = isSame ? before.seenAt : at;
  return {
    names: firstOf(all, before),
    total: all.length,
    folder: stampOf(stats),
    seenAt,
    isUnsettled: isUnsettled(seenAt, at),
  };
}

/** Where there are too many, those that are known stay: what works must not go because others came. */
function firstOf(all: readonly string[], before: Scan | null): readonly string[] {
  if (all.length <= mostFiles) return all;
  const known = new Set(before?.names);
  const kept = all.filter((name) => known.has(name));
  const added = all.filter((name) => !known.has(name)).slice(0, Math.max(0, mostFiles - kept.length));
  return [...kept, ...added].sort();
}

const nothing: Scan = { names: [], total: 0, folder: null, seenAt: 0, isUnsettled: false };

export function stampOf({ ino, size, mtimeMs, ctimeMs }: Stats): Stamp {
  return { ino, size, mtimeMs, ctimeMs };
}

export function isSameStamp(known: Stamp | null, found: Stamp | undefined): boolean {
  return (
    known !== null &&
    found !== undefined &&
    known.mtimeMs === found.mtimeMs &&
    known.ctimeMs === found.ctimeMs &&
    known.size === found.size &&
    known.ino === found.ino
  );
}

/**
 * The clock of a file system stands still for some milliseconds: two saves within one of its ticks may leave the same stamp. What
 * was first seen this lately is therefore looked at again. Not the age of the file counts: its clock may be another one than ours.
 */
export function isUnsettled(seenAt: number, now: number): boolean {
  return now - seenAt < tickMs;
}

const tickMs = 50;

function toolNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => mayBeTool(name))
      .sort();
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return [];
  }
}

/** Tests, type declarations, and what begins with `_` or `.` lie beside tools without being one. */
function mayBeTool(name: string): boolean {
  return toolFile.test(name) && !noTool.test(name);
}

/** A name that a tool file may have: one name, no folders. */
export function isToolFileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]*\.(?:ts|mts|js|mjs|py)$/i.test(name) && mayBeTool(name);
}

const toolFile = /\.(?:ts|mts|js|mjs|py)$/;
const noTool = /^[._]|\.(?:test|spec|d)\.m?[jt]s$|^test_.*\.py$|_test\.py$/;

const unlessGone = { throwIfNoEntry: false } as const;

/** Undefined when it is gone. */
export function lookAt(folder: string, name: string): Stats | undefined {
  try {
    // Not `join`: it would take a third of the time of a look at 500 files.
    return lstatSync(`${folder}/${name}`, unlessGone);
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}
