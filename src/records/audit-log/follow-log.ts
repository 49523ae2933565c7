import { open, type FileHandle } from "node:fs/promises";
import { readEntry, type ReadEntry } from "./read-entries.ts";
import { identityOf, listSegments, type Segment } from "./segments.ts";

const pollMs = 200;
/** How long a segment that was closed is still looked at: other writers may not have noticed yet. */
const lingerPolls = 10;

interface Followed {
  readonly segment: Segment;
  readonly identity: string | undefined;
  readonly file: FileHandle;
  position: number;
  rest: Buffer;
  pollsLeft: number;
}

/** Entries as they are written, from now on, over rotated segments, until the signal says enough. */
export async function* followJournal(folder: string, signal: AbortSignal): AsyncGenerator<ReadEntry> {
  let followed: Followed[] = [];
  try {
    const now = listSegments(folder).at(-1);
    if (now) followed.push(await openAt(now, "end"));
    while (!signal.aborted) {
      for (const each of followed) yield* readNew(each);
      for (const { segment, identity } of newSegments(folder, followed)) {
        const opened = await openAt(segment, "begin");
        if (opened.identity !== identity) {
          // Rotated meanwhile: the name means a later file, and the one it meant is found under its number the next time.
          await opened.file.close();
          break;
        }
        for (const older of followed) older.pollsLeft = Math.min(older.pollsLeft, lingerPolls);
        followed.push(opened);
        yield* readNew(opened);
      }
      followed = await dropOld(followed);
      await pause(signal);
    }
  } finally {
    await Promise.all(followed.map(({ file }) => file.close()));
  }
}

/** Those behind the one that is followed. What was renamed is still the same file. */
function newSegments(folder: string, followed: readonly Followed[]): Found[] {
  const known = new Set(followed.map(({ identity }) => identity));
  const segments = identify(folder);
  const last = segments.findLastIndex(({ identity }) => known.has(identity));
  return segments.slice(last + 1);
}

interface Found {
  readonly segment: Segment;
  readonly identity: string | undefined;
}

/** Names and files that belong together: a rotation in between would give the newest name another file. */
function identify(folder: string): Found[] {
  for (;;) {
    const segments = listSegments(folder);
    const found = segments.map((segment) => ({ segment, identity: identityOf(segment.path) }));
    if (listSegments(folder).length === segments.length) return found;
  }
}

async function openAt(segment: Segment, where: "begin" | "end"): Promise<Followed> {
  const file = await open(segment.path, "r");
  const stats = await file.stat({ bigint: true });
  return {
    segment,
    identity: `${stats.dev}:${stats.ino}`,
    file,
    position: where === "end" ? Number(stats.size) : 0,
    rest: Buffer.alloc(0),
    pollsLeft: Number.POSITIVE_INFINITY,
  };
}

async function* readNew(followed: Followed): AsyncGenerator<ReadEntry> {
  const block = Buffer.allocUnsafe(65_536);
  for (;;) {
    const { bytesRead } = await followed.file.read(block, 0, block.length, followed.position);
    if (bytesRead === 0) return;
    followed.position += bytesRead;
    let bytes = Buffer.concat([followed.rest, block.subarray(0, bytesRead)]);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      const read = readEntry(bytes.subarray(0, end), followed.segment.name, null);
      bytes = bytes.subarray(end + 1);
      if (read) yield read;
    }
    followed.rest = bytes;
  }
}

async function dropOld(followed: readonly Followed[]): Promise<Followed[]> {
  const kept: Followed[] = [];
  for (const each of followed) {
    each.pollsLeft -= 1;
    if (each.pollsLeft > 0) kept.push(each);
    else await each.file.close();
  }
  return kept;
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, pollMs);
    signal.addEventListener("abort", done);
  });
}
