import { hashOfLine, linePrefix, parseLine } from "./log-line.ts";
import { readBackwards } from "./read-backwards.ts";
import { findLine, readLines } from "./read-log-lines.ts";
import { freezeSegments } from "./segments.ts";

/** A line as it can be shown. What is no line is skipped by every reader but `verify`. */
export interface ReadEntry {
  /** As it is in the journal, in snake_case. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly segment: string;
  /** Counted from 1; null when it was read from the end. */
  readonly line: number | null;
  /** Does it fit its own hash? */
  readonly isIntact: boolean;
}

export type EntryFilter = (entry: Readonly<Record<string, unknown>>) => boolean;

export interface EntryQuery {
  readonly types?: readonly string[];
  /** Any of these names. */
  readonly tools?: readonly string[];
  readonly conversationId?: string;
}

export function filterOf({ types, tools, conversationId }: EntryQuery): EntryFilter {
  return (entry) =>
    (types === undefined || types.includes(String(entry["type"]))) &&
    (tools === undefined || namesOf(entry).some((name) => tools.includes(name))) &&
    (conversationId === undefined || entry["conversation_id"] === conversationId);
}

function namesOf(entry: Readonly<Record<string, unknown>>): string[] {
  const names = [entry["tool_name"], entry["tool"], entry["asked_for"]];
  return names.filter((name) => typeof name === "string");
}

/** All entries, oldest first. `mention`: only lines that contain this text; a quick look before the dear one. */
export async function* readEntries(folder: string, mention?: string): AsyncGenerator<ReadEntry> {
  const { segments, close } = await freezeSegments(folder);
  try {
    for (const segment of segments) {
      for await (const block of readLines(segment)) {
        for (const { bytes, number } of block) {
          if (mention !== undefined && !bytes.includes(mention)) continue;
          const read = readEntry(bytes, segment.name, number);
          if (read) yield read;
        }
      }
    }
  } finally {
    await close();
  }
}

/** The last entries that fit, oldest first. Reads from the end, so it costs what it shows. */
export async function readLast(folder: string, limit: number, filter: EntryFilter): Promise<ReadEntry[]> {
  const found: ReadEntry[] = [];
  const { segments, close } = await freezeSegments(folder);
  try {
    for (const segment of segments.toReversed()) {
      for await (const { bytes } of readBackwards(segment)) {
        if (found.length >= limit) return found.toReversed();
        const read = readEntry(bytes, segment.name, null);
        if (read && filter(read.entry)) found.push(read);
      }
    }
    return found.toReversed();
  } finally {
    await close();
  }
}

/** A line that was glued to what somebody else could not finish is found as well. */
export function readEntry(bytes: Buffer, segment: string, line: number | null): ReadEntry | undefined {
  const parsed = parseObject(bytes);
  if (parsed) return { entry: parsed, segment, line, isIntact: parseLine(bytes)?.hash === hashOfLine(bytes) };
  if (bytes.lastIndexOf(linePrefix) <= 0) return undefined;
  const found = findLine(bytes);
  const entry = found && parseObject(found.bytes);
  return entry && { entry, segment, line, isIntact: true };
}

function parseObject(bytes: Buffer): Record<string, unknown> | undefined {
  if (bytes[0] !== 0x7b) return undefined;
  try {
    const value = JSON.parse(bytes.toString()) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // No line of ours; `verify` says which.
  }
}
