import { readEntries, type ReadEntry } from "./read-entries.ts";

/** What is known under a name: all lines of one call, or one line. */
export type FoundCall =
  | { readonly kind: "call"; readonly id: string; readonly entries: readonly ReadEntry[] }
  | { readonly kind: "line"; readonly entries: readonly ReadEntry[] }
  | { readonly kind: "several"; readonly ids: readonly string[] }
  | { readonly kind: "none" };

/** A whole id, as much of its beginning or end as only one has, or `writer:seq` (also just the beginning of the writer). */
export async function findCall(folder: string, given: string): Promise<FoundCall> {
  const wanted = given.trim().toLowerCase();
  const line = /^([0-9a-z_-]{1,64}):([1-9][0-9]*)$/.exec(wanted);
  return line ? findOne(folder, line[1]!, Number(line[2])) : findById(folder, wanted);
}

async function findById(folder: string, wanted: string): Promise<FoundCall> {
  const part = wanted.replace(/^[a-z]+_/, "");
  const byId = new Map<string, ReadEntry[]>();
  for await (const read of readEntries(folder, part)) {
    const id = read.entry["id"];
    if (typeof id !== "string") continue;
    if (id !== wanted && !id.endsWith(part) && !id.slice(id.indexOf("_") + 1).startsWith(part)) continue;
    const known = byId.get(id);
    if (known) known.push(read);
    else byId.set(id, [read]);
  }
  const ids = byId.has(wanted) ? [wanted] : [...byId.keys()];
  if (ids.length === 0) return { kind: "none" };
  if (ids.length > 1) return { kind: "several", ids };
  return { kind: "call", id: ids[0]!, entries: byId.get(ids[0]!)! };
}

async function findOne(folder: string, writer: string, seq: number): Promise<FoundCall> {
  const entries: ReadEntry[] = [];
  for await (const read of readEntries(folder, `"seq":${seq},`)) {
    if (read.entry["seq"] === seq && String(read.entry["writer"]).startsWith(writer)) entries.push(read);
  }
  const writers = new Set(entries.map(({ entry }) => String(entry["writer"])));
  if (writers.size > 1) return { kind: "several", ids: [...writers].map((each) => `${each}:${seq}`) };
  return entries.length > 0 ? { kind: "line", entries } : { kind: "none" };
}
