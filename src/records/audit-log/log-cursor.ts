import { open, type FileHandle } from "node:fs/promises";
import type { Clock } from "../../core/clock.ts";
import { readEntry, type ReadEntry } from "./read-entries.ts";
import type { EntryPlace } from "./search-entries.ts";
import { identityOf, listSegments, type Segment } from "./segments.ts";

export interface PlacedEntry extends ReadEntry {
  readonly place: EntryPlace;
}

/**
 * A place in the journal that moves on. Entries come in the order of their places, over rotated segments, so that whoever knows the
 * place of the last one misses none and gets none twice.
 */
export interface JournalCursor {
  /** All before it was read: where the next entry will begin, unless that is in a later segment. */
  readonly place: EntryPlace;
  /** What comes next, about a megabyte at most; empty when there is nothing yet. Null: the segment is gone, and nothing comes after it. */
  read(): Promise<readonly PlacedEntry[] | null>;
  close(): Promise<void>;
}

/** How long a segment that was closed is still read from: other writers may not have noticed yet. */
const lingerMs = 1000;
const blockBytes = 256 * 1024;

interface Opened {
  readonly segment: Segment;
  readonly file: FileHandle;
  readonly identity: string;
  readonly size: number;
}

/** `after`: the entry that was read last; null: from the end on. Null as the answer: there is no such entry any more. */
export async function openJournalCursor(
  folder: string,
  after: EntryPlace | null,
  clock: Clock,
): Promise<JournalCursor | null> {
  const number = after?.segment ?? listSegments(folder).at(-1)?.number;
  let opened = number === undefined ? null : await openSegment(folder, number);
  if (after && !(opened && (await beginsLine(opened, after.offset)))) {
    await opened?.file.close();
    return null;
  }
  let offset = after ? after.offset : opened ? await lastLineEnd(opened) : 0;
  let skips = after !== null;
  let closedSince: number | null = null;

  async function read(): Promise<readonly PlacedEntry[] | null> {
    if (!opened) {
      const [first] = listSegments(folder);
      opened = first ? await openSegment(folder, first.number) : null;
      if (!opened) return [];
    }
    const entries = await readLinesAt(opened);
    return entries.length > 0 ? entries : moveOn(opened);
  }

  async function readLinesAt({ file, segment }: Opened): Promise<PlacedEntry[]> {
    const lines = await readWholeLines(file, offset);
    const entries: PlacedEntry[] = [];
    let begin = 0;
    for (let end = lines.indexOf(10); end >= 0; end = lines.indexOf(10, begin)) {
      const found = skips ? undefined : readEntry(lines.subarray(begin, end), segment.name, null);
      skips = false;
      if (found) entries.push({ ...found, place: { segment: segment.number, offset: offset + begin } });
      begin = end + 1;
    }
    offset += begin;
    return begin > 0 && entries.length === 0 ? readLinesAt(opened!) : entries;
  }

  /** At its end: to the next segment, once nobody writes to this one any more. */
  async function moveOn({ segment, file, identity }: Opened): Promise<readonly PlacedEntry[] | null> {
    const segments = listSegments(folder);
    const next = segments.find(({ number: each }) => each > segment.number);
    if (!next) {
      closedSince = null;
      return segments.some(({ path }) => identityOf(path) === identity) ? [] : null;
    }
    closedSince ??= clock.monotonic();
    const { mtimeMs } = await file.stat();
    if (clock.monotonic() - closedSince < lingerMs && clock.now() - mtimeMs < lingerMs) return [];
    const following = await openSegment(folder, next.number);
    if (!following) return [];
    await file.close();
    [opened, offset, closedSince] = [following, 0, null];
    return read();
  }

  return {
    get place() {
      return { segment: opened?.segment.number ?? 1, offset };
    },
    read,
    close: async () => opened?.file.close(),
  };
}

/** Null when there is none of this number any more. A rotation in between gives its name to another file. */
async function openSegment(folder: string, number: number): Promise<Opened | null> {
  for (;;) {
    const segment = listSegments(folder).find((each) => each.number === number);
    if (!segment) return null;
    const file = await open(segment.path, "r").catch(() => null);
    if (!file) continue;
    const stats = await file.stat({ bigint: true });
    const identity = `${stats.dev}:${stats.ino}`;
    const now = listSegments(folder).find((each) => each.number === number);
    if (now && identityOf(now.path) === identity) return { segment: now, file, identity, size: Number(stats.size) };
    await file.close();
  }
}

/** From there on, up to the last line end. Lines of any length are read whole. */
async function readWholeLines(file: FileHandle, offset: number): Promise<Buffer> {
  for (let length = blockBytes; ; length *= 4) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(10);
    if (end >= 0 || bytesRead < length) return buffer.subarray(0, end + 1);
  }
}

async function beginsLine({ file, size }: Opened, offset: number): Promise<boolean> {
  if (offset >= size) return false;
  if (offset === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, offset - 1);
  return buffer[0] === 10;
}

/** What somebody is just writing comes when it is whole. */
async function lastLineEnd({ file, size }: Opened): Promise<number> {
  for (let end = size; end > 0;) {
    const begin = Math.max(0, end - blockBytes);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - begin), 0, end - begin, begin);
    const found = buffer.subarray(0, bytesRead).lastIndexOf(10);
    if (found >= 0) return begin + found + 1;
    end = begin;
  }
  return 0;
}
