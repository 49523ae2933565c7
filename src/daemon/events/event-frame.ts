import type { EntryPlace, PlacedEntry } from "../../records/audit-log/log-reader.ts";

/** Text as server-sent events have it. JSON has no line end in it, so one line of data is enough. */
export function frameOf(event: string, data: unknown, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function logFrame({ entry, place }: PlacedEntry): string {
  return frameOf("log", entry, formatPlace(place));
}

/** Who has missed what can't be told again begins anew. */
export const resetFrame = frameOf("reset", {});

export function formatPlace({ segment, offset }: EntryPlace): string {
  return `${segment}:${offset}`;
}

/** Null when it is no place. */
export function parsePlace(text: string): EntryPlace | null {
  const [, segment, offset] = /^(\d{1,9}):(\d{1,15})$/.exec(text) ?? [];
  return segment === undefined ? null : { segment: Number(segment), offset: Number(offset) };
}

export function comparePlaces(a: EntryPlace, b: EntryPlace): number {
  return a.segment - b.segment || a.offset - b.offset;
}
