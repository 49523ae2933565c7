import type { Line } from "../log-line.ts";
import { findLine, readLines } from "../read-log-lines.ts";
import type { FrozenSegment } from "../segments.ts";
import type { Where } from "./verify-report.ts";

/** Lines that stand before one that was noted, and that nothing accounts for. */
export interface Unaccounted {
  readonly count: number;
  readonly first: Where;
}

/**
 * A hash stands for its line, for all lines of the same writer before it, for those that any of them cites, and so on. Whatever
 * else stands before it in the file was either written in the same moment as a line that is accounted for, or put in later;
 * `isConfirmed` says of which of them the store knows.
 */
export async function findUnaccounted(
  segments: readonly FrozenSegment[],
  noted: string,
  isConfirmed: (line: Line) => boolean,
): Promise<Unaccounted | undefined> {
  const reach = await follow(segments, noted);
  let count = 0;
  let first: Where | undefined;
  for await (const { line, where } of linesUpTo(segments, noted)) {
    if (line.seq <= (reach.get(line.writer) ?? 0) || isConfirmed(line)) continue;
    count += 1;
    first ??= { ...where, writer: line.writer, seq: line.seq };
  }
  return first && { count, first };
}

interface Citation {
  readonly seq: number;
  readonly after: string;
}

/** How far the chain of each writer is accounted for. */
async function follow(segments: readonly FrozenSegment[], noted: string): Promise<Map<string, number>> {
  const citations = new Map<string, Citation[]>();
  const cited = new Map<string, { readonly writer: string; readonly seq: number } | null>([[noted, null]]);
  for await (const { line } of linesUpTo(segments, noted)) {
    if (line.after === null) continue;
    const after = copy(line.after);
    cited.set(after, null);
    const own = citations.get(line.writer);
    if (own) own.push({ seq: line.seq, after });
    else citations.set(line.writer, [{ seq: line.seq, after }]);
  }
  for await (const { line } of linesUpTo(segments, noted)) {
    if (cited.has(line.hash)) cited.set(line.hash, { writer: line.writer, seq: line.seq });
  }
  const reach = new Map<string, number>();
  const open = [noted];
  for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
    const place = cited.get(hash);
    if (!place) continue;
    const { writer, seq } = place;
    const reached = reach.get(writer) ?? 0;
    if (seq <= reached) continue;
    reach.set(writer, seq);
    for (const citation of citations.get(writer) ?? []) {
      if (citation.seq > reached && citation.seq <= seq) open.push(citation.after);
    }
  }
  return reach;
}

async function* linesUpTo(
  segments: readonly FrozenSegment[],
  noted: string,
): AsyncGenerator<{ readonly line: Line; readonly where: Where }> {
  for (const segment of segments) {
    for await (const block of readLines(segment)) {
      for (const raw of block) {
        const line = findLine(raw.bytes)?.line;
        if (!line) continue;
        yield { line, where: { segment: segment.name, line: raw.number } };
        if (line.hash === noted) return;
      }
    }
  }
}

/** A part of a text keeps the whole of it in memory. */
function copy(hash: string): string {
  return Buffer.from(hash, "latin1").toString("latin1");
}
