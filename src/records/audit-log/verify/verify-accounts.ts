import type { JournalHead, JournalMemory, JournalPrune } from "../../../core/stores.ts";
import { type Line, suffixBytes, suffixForm } from "../log-line.ts";
import { findLine, readLines } from "../read-log-lines.ts";
import type { FrozenSegment } from "../segments.ts";
import type { Findings, ProblemKind, Where } from "./verify-report.ts";

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

/** What the store remembers, or why it can't be asked. */
export type Recall = () => JournalMemory | string;

/** What is asked of the store while a journal is read that others may be writing. */
export interface StoreMemory {
  /** Why it can't be asked; null when it can. */
  readonly silence: string | null;
  /** As they were before the first line was read: a head that is newer than what was read would look like a cut. */
  readonly heads: ReadonlyMap<string, JournalHead>;
  /** True as well when nobody can be asked. */
  knows(writer: string): boolean;
  /**
   * That its writer had come this far: then the hash the store keeps also stands for what this line says. True as well when
   * nobody can be asked.
   */
  confirms(line: { readonly writer: string; readonly seq: number }): boolean;
  /** True as well when nobody can be asked. */
  knowsPrune(prune: Omit<JournalPrune, "at">): boolean;
  /** As it is known now. */
  headOf(writer: string): JournalHead | undefined;
  /** Asks once more, when all is read: whatever was read is older than what it says then. */
  refresh(): void;
}

/** Whoever puts in many writers must not make it slow. */
const mostQuestions = 100;

export function openStoreMemory(recall: Recall): StoreMemory {
  const first = recall();
  const silence = typeof first === "string" ? first : null;
  const heads = new Map<string, JournalHead>();
  const newest = new Map<string, JournalHead>();
  let prunes: readonly JournalPrune[] = [];
  let questions = 0;
  if (typeof first !== "string") {
    for (const head of first.heads) heads.set(head.writer, head);
    take(first);
  }

  function take(memory: JournalMemory): void {
    for (const head of memory.heads) newest.set(head.writer, head);
    prunes = memory.prunes;
  }

  function refresh(): void {
    const memory = recall();
    if (typeof memory !== "string") take(memory);
  }

  return {
    silence,
    heads,
    knows(writer) {
      if (silence !== null || newest.has(writer)) return true;
      // It may have begun to write after we began to read.
      if (++questions <= mostQuestions) refresh();
      return newest.has(writer);
    },
    confirms: ({ writer, seq }) => silence !== null || seq <= (newest.get(writer)?.seq ?? 0),
    knowsPrune: ({ firstSegment, lastSegment, lastHash }) =>
      silence !== null ||
      prunes.some(
        (each) => each.firstSegment === firstSegment && each.lastSegment === lastSegment && each.lastHash === lastHash,
      ),
    headOf: (writer) => newest.get(writer),
    refresh: () => {
      if (silence === null) refresh();
    },
  };
}

/** So many hashes are remembered: whoever cites a line cites one of the last. */
const remembered = 50_000;

/** Lines that say which line of somebody else they come after. */
export interface Citations {
  know(hash: string): void;
  isRecent(hash: string): boolean;
  /** `mayBePruned`: what it cites is in the segment before the first one. */
  cite(hash: string, where: Where, mayBePruned: boolean): void;
  /** Looks once more, through everything, for what was cited and not seen before. */
  resolve(segments: readonly FrozenSegment[], problems: Findings<ProblemKind>, isPruned: boolean): Promise<void>;
}

export function createCitations(): Citations {
  let recent = new Set<string>();
  let older = new Set<string>();
  const open = new Map<string, Where & { readonly mayBePruned: boolean }>();

  return {
    know(hash) {
      recent.add(hash);
      if (recent.size < remembered) return;
      older = recent;
      recent = new Set();
    },
    isRecent: (hash) => recent.has(hash) || older.has(hash),
    cite(hash, where, mayBePruned) {
      if (recent.has(hash) || older.has(hash)) return;
      if (open.size < remembered) open.set(hash, { ...where, mayBePruned });
    },
    async resolve(segments, problems, isPruned) {
      if (isPruned) for (const [hash, { mayBePruned }] of open) if (mayBePruned) open.delete(hash);
      if (open.size === 0) return;
      const places = await locate(segments, open);
      for (const [hash, where] of open) {
        const place = places.get(hash);
        if (place === undefined) {
          problems.add("removed", `comes after a line that is not there any more (hash ${hash.slice(0, 16)}…)`, where);
        } else if (isLater(place, where, segments)) {
          problems.add("reordered", `comes after a line that stands further down, at line ${place.line}`, where);
        }
      }
    },
  };
}

async function locate(
  segments: readonly FrozenSegment[],
  wanted: ReadonlyMap<string, unknown>,
): Promise<Map<string, Where>> {
  const places = new Map<string, Where>();
  for (const segment of segments) {
    for await (const block of readLines(segment)) {
      for (const { bytes, number } of block) {
        const hash = suffixForm.exec(bytes.toString("latin1", Math.max(0, bytes.length - suffixBytes)))?.[1];
        if (hash !== undefined && wanted.has(hash) && !places.has(hash)) {
          places.set(hash, { segment: segment.name, line: number });
        }
      }
    }
  }
  return places;
}

function isLater(place: Where, where: Where, segments: readonly FrozenSegment[]): boolean {
  const order = (name: string): number => segments.findIndex((segment) => segment.name === name);
  return (
    order(place.segment) - order(where.segment) > 0 ||
    (place.segment === where.segment && (place.line ?? 0) > (where.line ?? 0))
  );
}
