import { lstatSync, readdirSync, type Stats } from "node:fs";
import { codeOf } from "../core/errors.ts";

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
  /** The folder changed so lately that a further change may not show in its stamp. */
  readonly isUnsettled: boolean;
}

/** Beyond this many something else is wrong: `tools/` is full of files that are no tools. */
const mostFiles = 1000;

/** Lists the folder again only when it changed. Throws nothing: a folder that can't be listed has no tools. */
export function scanFolder(folder: string, before: Scan | null, now: () => number): Scan {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return nothing;
  if (before && !before.isUnsettled && isSameStamp(before.folder, stats)) return before;
  const all = toolNames(folder);
  return {
    names: all.slice(0, mostFiles),
    total: all.length,
    folder: stampOf(stats),
    isUnsettled: isUnsettled(stats, now()),
  };
}

const nothing: Scan = { names: [], total: 0, folder: null, isUnsettled: false };

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
 * changed this lately is therefore read again, until it is older.
 */
export function isUnsettled({ mtimeMs, ctimeMs }: Stamp, now: number): boolean {
  return Math.max(mtimeMs, ctimeMs) > now - tickMs;
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
