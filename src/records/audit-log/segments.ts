import { closeSync, constants, openSync, readdirSync, readSync, statSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";

/** A file of the journal. The current one has the highest number and no number in its name. */
export interface Segment {
  readonly number: number;
  readonly name: string;
  readonly path: string;
}

export const currentName = "chat_log.jsonl";
const numberedForm = /^chat_log\.([1-9][0-9]{0,8})\.jsonl$/;

/** Oldest first; empty when there is no journal. Throws only when the folder is there and can't be read. */
export function listSegments(folder: string): Segment[] {
  const { numbered, hasCurrent } = readFolder(folder);
  if (!hasCurrent) return numbered;
  const current = join(folder, currentName);
  const last = numbered.at(-1);
  // While it is rotated, the current file has both names for a moment.
  if (last && identityOf(last.path) === identityOf(current)) numbered.pop();
  return [...numbered, currentSegment(numbered, current, ownNumber(current))];
}

function readFolder(folder: string): { readonly numbered: Segment[]; readonly hasCurrent: boolean } {
  const names = readNames(folder);
  const numbered = names
    .flatMap((name) => {
      const match = numberedForm.exec(name);
      return match ? [{ number: Number(match[1]), name, path: join(folder, name) }] : [];
    })
    .sort((a, b) => a.number - b.number);
  return { numbered, hasCurrent: names.includes(currentName) };
}

function currentSegment(before: readonly Segment[], path: string, own: number): Segment {
  return { number: Math.max((before.at(-1)?.number ?? 0) + 1, own), name: currentName, path };
}

/** A file of the log, as long as it was at one moment. */
export interface FrozenSegment extends Segment {
  readonly bytes: number;
  /** Of the one that was current: its name may mean another file by now. */
  readonly handle?: FileHandle;
}

/**
 * The log as it was at one moment, whatever is written to it, and however often it is rotated, while it is read. Rejects with
 * ENOENT when retention removes a file at this moment; the file that was current stays open until `close`.
 */
export async function freezeSegments(
  folder: string,
): Promise<{ readonly segments: readonly FrozenSegment[]; readonly close: () => Promise<void> }> {
  const path = join(folder, currentName);
  // Before the names are listed: if it is rotated meanwhile, its new name is among them.
  const first = await openCurrent(path);
  // A log that begins at this moment: opened once more, because it may be rotated by the time it is read.
  const begun = first ? [] : listSegments(folder);
  const handle = first ?? (begun.length > 0 ? await openCurrent(path) : undefined);
  try {
    const segments = handle ? await listUpTo(folder, path, handle) : begun;
    // From the last to the first: a line that is within these lengths has all that its writer wrote before within them as well,
    // also where a writer had not noticed yet that its segment was closed.
    const frozen: FrozenSegment[] = [];
    for (const segment of segments.toReversed()) {
      const isOpen = handle && segment === segments.at(-1);
      const { size } = isOpen
        ? await handle.stat()
        : (statSync(segment.path, { throwIfNoEntry: false }) ?? { size: 0 });
      frozen.unshift({ ...segment, bytes: size, ...(isOpen ? { handle } : {}) });
    }
    return { segments: frozen, close: async () => handle?.close() };
  } catch (thrown) {
    await handle?.close();
    throw thrown;
  }
}

/** Undefined when it is none that the log has made: missing, a link or something else. */
async function openCurrent(path: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return undefined;
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(codeOf(thrown) ?? "")) return undefined;
    throw thrown;
  }
}

/** Those up to the one that is open, under the name that this has by now. */
async function listUpTo(folder: string, path: string, handle: FileHandle): Promise<Segment[]> {
  const { dev, ino } = await handle.stat({ bigint: true });
  const identity = `${dev}:${ino}`;
  const { numbered } = readFolder(folder);
  const found = numbered.findIndex((segment) => identityOf(segment.path) === identity);
  if (found >= 0 && identityOf(path) !== identity) return numbered.slice(0, found + 1);
  const before = found >= 0 ? numbered.slice(0, found) : numbered;
  return [...before, currentSegment(before, path, numberIn(handle.fd))];
}

/** The name that the current segment gets when it is closed. */
export function numberedPath(folder: string, number: number): string {
  return join(folder, `chat_log.${number}.jsonl`);
}

/** The same file, whatever its name; undefined when there is none. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}:${stats.ino}`;
}

const rotatedForm = /^\{"v":1,[^\n]*?"type":"rotated","segment":([1-9][0-9]{0,8}),"hash":"/;

/** What its first line says: those before it may all have been pruned. */
function ownNumber(path: string): number {
  let fd: number | undefined;
  try {
    // Whatever lies there may be a pipe, and nobody at its other end.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return numberIn(fd);
  } catch {
    return 1; // Whoever reads on is told why it can't be read.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function numberIn(fd: number): number {
  const begin = Buffer.alloc(512);
  const length = readSync(fd, begin, 0, begin.length, 0);
  return Number(rotatedForm.exec(begin.toString("latin1", 0, length))?.[1] ?? 1);
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw thrown;
  }
}
