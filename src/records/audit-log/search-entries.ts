import { codeOf } from "../../core/errors.ts";
import { readBackwards } from "./read-backwards.ts";
import { filterOf, readEntry, type EntryQuery, type ReadEntry } from "./read-entries.ts";
import { freezeSegments } from "./segments.ts";

export interface EntrySearch extends EntryQuery {
  /** Anywhere in what the line says, in any case; not in the journal's own keys. */
  readonly text?: string;
  /** The lines of this call. */
  readonly callId?: string;
  readonly limit: number;
  /** Only what was written before this place. */
  readonly before?: EntryPlace;
}

/** Where a line begins. A segment keeps its number when its file gets another name. */
export interface EntryPlace {
  readonly segment: number;
  readonly offset: number;
}

export interface FoundEntries {
  /** Newest first. */
  readonly entries: readonly (ReadEntry & { readonly place: EntryPlace })[];
  /** Where to go on; null at the beginning of the journal. Given also when nothing was found so far. */
  readonly next: EntryPlace | null;
}

/** One search reads no more than this: who looks for something rare in a long journal goes on from `next`. */
const mostBytes = 16 * 1024 * 1024;
/** Nor does it give more: lines may be long. */
const mostFound = 2 * 1024 * 1024;

/** Reads from the end, so it costs what it shows, or what it has to look through for that. */
export async function searchEntries(folder: string, search: EntrySearch): Promise<FoundEntries> {
  const { before, limit } = search;
  const mayFit = quickLook(search);
  const fits = fullLook(search);
  const entries: (ReadEntry & { readonly place: EntryPlace })[] = [];
  let [bytesRead, bytesFound] = [0, 0];
  const { segments, close } = await freezeSegments(folder);
  try {
    for (const segment of segments.toReversed()) {
      if (before && segment.number > before.segment) continue;
      const end = segment.number === before?.segment ? before.offset : undefined;
      try {
        for await (const { bytes, offset } of readBackwards(segment, end)) {
          const place = { segment: segment.number, offset };
          bytesRead += bytes.length + 1;
          const read = mayFit(bytes) ? readEntry(bytes, segment.name, null) : undefined;
          if (read && fits(read.entry)) {
            entries.push({ ...read, place });
            bytesFound += bytes.length;
          }
          const isEnough = entries.length >= limit || bytesFound >= mostFound || bytesRead >= mostBytes;
          if (isEnough) return { entries, next: place };
        }
      } catch (thrown) {
        // Retention has just removed it, and what is before it as well.
        if (codeOf(thrown) !== "ENOENT") throw thrown;
      }
    }
  } finally {
    await close();
  }
  return { entries, next: null };
}

/** Without understanding the line: most of them do not fit, and understanding is the dear part. */
function quickLook({ types, tools, callId, text }: EntrySearch): (bytes: Buffer) => boolean {
  const kinds = types?.map((type) => `"type":"${type}"`);
  const names = tools?.map((tool) => JSON.stringify(tool));
  // As JSON has it: what a line says is escaped there.
  const wanted = text === undefined ? undefined : JSON.stringify(text).slice(1, -1).toLowerCase();
  return (bytes) =>
    (kinds === undefined || kinds.some((kind) => bytes.includes(kind))) &&
    (names === undefined || names.some((name) => bytes.includes(name))) &&
    (callId === undefined || bytes.includes(callId)) &&
    (wanted === undefined || bytes.toString().toLowerCase().includes(wanted));
}

function fullLook(search: EntrySearch): (entry: ReadEntry["entry"]) => boolean {
  const fits = filterOf(search);
  const wanted = search.text?.toLowerCase();
  return (entry) =>
    fits(entry) &&
    (search.callId === undefined || idsOf(entry).includes(search.callId)) &&
    (wanted === undefined || says(entry, wanted));
}

function idsOf(entry: ReadEntry["entry"]): unknown[] {
  return [entry["id"], entry["execution_id"], entry["parent_id"]];
}

const ownKeys = new Set(["v", "writer", "seq", "prev", "after", "hash"]);

function says(entry: ReadEntry["entry"], wanted: string): boolean {
  return Object.entries(entry).some(([key, value]) => !ownKeys.has(key) && mentions(value, wanted));
}

function mentions(value: unknown, wanted: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(wanted);
  if (typeof value === "number") return String(value).includes(wanted);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, each]) => key.toLowerCase().includes(wanted) || mentions(each, wanted));
}
