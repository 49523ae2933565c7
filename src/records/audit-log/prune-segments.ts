import { rmSync, statSync } from "node:fs";
import type { JournalHeads } from "../../core/stores.ts";
import { encodeBody, parseLine } from "./log-line.ts";
import type { Journal } from "./open-log.ts";
import { readEntry } from "./read-entries.ts";
import { readLines } from "./read-log-lines.ts";
import { currentName, listSegments, type Segment } from "./segments.ts";
import type { Continued } from "./verify/verify-writer.ts";

export interface PrunedSegments {
  readonly segments: number;
  readonly lines: number;
  readonly bytes: number;
}

interface Last {
  readonly seq: number;
  readonly hash: string;
  /** It may have more to say: it did not say that it was its last. */
  readonly isOpen: boolean;
}

interface Survey {
  lines: number;
  bytes: number;
  firstHash: string | null;
  lastHash: string | null;
  lastAt: string | null;
  /** The last line of each writer. */
  readonly writers: Map<string, Last>;
}

/** Writers that were killed never end; the youngest may be alive. */
const mostContinued = 500;

/**
 * Removes closed segments whose lines are all older. What was removed is told by a line of the journal first, so that the rest
 * still verifies; with it, where the chains go on that began in them. The store is told before: a line that nobody but itself
 * confirms could be anybody's.
 */
export async function pruneSegments(options: {
  readonly folder: string;
  readonly before: number;
  readonly heads: JournalHeads | null;
  /** Null: only says what would be removed. */
  readonly journal: Journal | null;
}): Promise<PrunedSegments> {
  const { folder, before, heads, journal } = options;
  const survey: Survey = { lines: 0, bytes: 0, firstHash: null, lastHash: null, lastAt: null, writers: new Map() };
  const all = listSegments(folder);
  const removed = await takeOld(all, before, survey);
  const result = { segments: removed.length, lines: survey.lines, bytes: survey.bytes };
  if (removed.length === 0 || !journal) return result;

  const present = await findWriters(all.slice(removed.length), survey);
  const continued = [...survey.writers]
    .filter(([writer, { isOpen }]) => isOpen || present.has(writer))
    .map(([writer, { seq, hash }]): Continued => ({ writer, seq, hash }))
    .slice(-mostContinued);
  const [firstSegment, lastSegment] = [removed[0]!.number, removed.at(-1)!.number];
  await heads?.savePrune({ firstSegment, lastSegment, lastHash: survey.lastHash, at: journal.now() });
  // Not by `append`: a mask could take a hash for a secret.
  const body = encodeBody({
    type: "pruned",
    what: "segments",
    count: removed.length,
    until: survey.lastAt,
    first_segment: firstSegment,
    last_segment: lastSegment,
    lines: survey.lines,
    bytes: survey.bytes,
    first_hash: survey.firstHash,
    last_hash: survey.lastHash,
    continued,
  });
  await journal.write([{ at: journal.now(), body }]);
  // Only a line that the store confirms explains what is missing.
  await journal.flush();
  // In this order: a file whose writers the store has forgotten would look forged.
  for (const { path } of removed) rmSync(path, { force: true });
  await heads?.remove([...survey.writers.keys()].filter((writer) => !present.has(writer)));
  return result;
}

/** From the oldest on, and never the current one: a segment in the middle that is young keeps those behind it. */
async function takeOld(all: readonly Segment[], before: number, survey: Survey): Promise<Segment[]> {
  const taken: Segment[] = [];
  for (const segment of all) {
    if (segment.name === currentName || statSync(segment.path).mtimeMs >= before) break;
    const seen = await look(segment);
    if (seen.lastAt !== null && Date.parse(seen.lastAt) >= before) break;
    survey.lines += seen.lines;
    survey.bytes += seen.bytes;
    survey.firstHash ??= seen.firstHash;
    survey.lastHash = seen.lastHash ?? survey.lastHash;
    survey.lastAt = seen.lastAt ?? survey.lastAt;
    for (const [writer, last] of seen.writers) survey.writers.set(writer, last);
    taken.push(segment);
  }
  return taken;
}

async function look({ path, name }: Segment): Promise<Survey> {
  const survey: Survey = { lines: 0, bytes: 0, firstHash: null, lastHash: null, lastAt: null, writers: new Map() };
  for await (const block of readLines({ path })) {
    for (const { bytes, number } of block) {
      survey.bytes += bytes.length + 1;
      const line = parseLine(bytes);
      if (!line) continue;
      survey.lines += 1;
      survey.firstHash ??= line.hash;
      survey.lastHash = line.hash;
      survey.lastAt = line.at;
      const { seq, hash, type } = line;
      survey.writers.set(line.writer, { seq, hash, isOpen: type !== "closed" });
      if (line.type === "pruned") takeOver(survey, readEntry(bytes, name, number)?.entry["continued"]);
    }
  }
  return survey;
}

/** An earlier record of pruning goes with its segment; what it said of chains that still go on must not. */
function takeOver({ writers }: Survey, continued: unknown): void {
  if (!Array.isArray(continued)) return;
  for (const { writer, seq, hash } of continued as Continued[]) {
    if (!writers.has(writer)) writers.set(writer, { seq, hash, isOpen: true });
  }
}

/** Those of them that have lines in what is kept. */
async function findWriters(kept: readonly Segment[], { writers }: Survey): Promise<Set<string>> {
  const present = new Set<string>();
  for (const segment of kept) {
    for await (const block of readLines(segment)) {
      for (const { bytes } of block) {
        const writer = parseLine(bytes)?.writer;
        if (writer !== undefined && writers.has(writer)) present.add(writer);
      }
    }
  }
  return present;
}
