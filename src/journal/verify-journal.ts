import type { JournalHead } from "../core/journal-heads.ts";
import { hashOfLine, readClaim, type Line } from "./journal-line.ts";
import { findLine, readLines, type FoundLine, type RawLine } from "./read-lines.ts";
import { listSegments, type Segment } from "./segments.ts";
import { createCitations } from "./verify-citations.ts";
import { createFragments } from "./verify-fragments.ts";
import { createFindings, type ProblemKind, type VerifyReport, type WarningKind, type Where } from "./verify-report.ts";
import { createWriterChain, type Continued, type WriterChain } from "./verify-writer.ts";

export interface VerifyOptions {
  readonly folder: string;
  /** Read before the journal: a head that is newer than what was read would look like a cut. Or why they are unknown. */
  readonly heads: readonly JournalHead[] | string;
  /** A hash that somebody noted: it has to be in the journal. */
  readonly head?: string;
}

/** Reads all segments once and tells what does not fit. Changes nothing. Rejects only when a file can't be read. */
export async function verifyJournal({ folder, heads, head: noted }: VerifyOptions): Promise<VerifyReport> {
  const problems = createFindings<ProblemKind>();
  const warnings = createFindings<WarningKind>();
  const citations = createCitations();
  const fragments = createFragments(problems, warnings);
  const chains = new Map<string, WriterChain>();
  const knownHeads = new Map((typeof heads === "string" ? [] : heads).map((each) => [each.writer, each]));
  const continued: Continued[] = [];
  const lengths = new Map<number, number>();
  let prunedTo = 0;
  let notedSeen = false;
  const total = { lines: 0, bytes: 0, firstAt: null as string | null, lastAt: null as string | null };
  let head: string | null = null;

  const segments = listSegments(folder);
  checkNumbers();
  for (const segment of segments) {
    const before = total.bytes;
    for await (const block of readLines(segment.path)) for (const raw of block) readRaw(segment, raw);
    fragments.endOf(segment.name);
    lengths.set(segment.number, total.bytes - before);
  }
  await finish();
  return {
    ok: problems.count === 0,
    segments: segments.length,
    ...total,
    writers: chains.size,
    head,
    headsChecked: typeof heads === "string" ? null : heads.length,
    problems: problems.list,
    problemCount: problems.count,
    warnings: warnings.list,
    warningCount: warnings.count,
  };

  function readRaw(segment: Segment, raw: RawLine): void {
    total.bytes += raw.bytes.length + (raw.isEnded ? 1 : 0);
    const where: Where = { segment: segment.name, line: raw.number };
    const found = raw.isEnded || raw.bytes.length > 0 ? findLine(raw.bytes) : undefined;
    if (!found) {
      if (raw.number === 1 && raw.isEnded) checkFirst(segment, undefined, where);
      readBroken(raw, where);
      return;
    }
    const { line, before } = found;
    const placed = { ...where, writer: line.writer, seq: line.seq };
    if (before) fragments.add(before, { ...where, isGlued: true }, seqOf);
    if (!raw.isEnded) warnings.add("torn", "has no line end: it is being written, or was cut there", placed);
    total.lines += 1;
    total.firstAt ??= line.at;
    total.lastAt = line.at;
    head = line.hash;
    if (noted === line.hash) notedSeen = true;
    if (raw.number === 1) checkFirst(segment, found, placed);
    if (line.after !== null) citations.cite(line.after, placed, raw.number === 1 && segment === segments[0]);
    chainOf(line.writer).follow(line, placed);
    citations.know(line.hash);
    if (specialTypes.has(line.type)) readSpecial(line, found.bytes, placed);
  }

  /** Not a line, or one that does not fit its hash. */
  function readBroken(raw: RawLine, where: Where): void {
    const claim = raw.isEnded ? readClaim(raw.bytes) : undefined;
    if (!claim || claim.hash === null) {
      fragments.add(raw.bytes, { ...where, isGlued: false, isLast: !raw.isEnded }, seqOf);
      return;
    }
    const { writer, seq, hash } = claim;
    problems.add("edited", "does not fit its hash: it was changed", { ...where, writer, seq });
    const hashes = [hash, hashOfLine(raw.bytes)];
    for (const each of hashes) citations.know(each);
    chainOf(writer).tolerate({ seq, hashes });
  }

  function readSpecial(line: Line, bytes: Buffer, where: Where): void {
    const entry = parseEntry(bytes);
    if (line.type === "repaired") fragments.explain(Number(entry["bytes"]), textOf(entry["sha256"]), where);
    if (line.type === "gap") {
      warnings.add("gap", `${textOf(entry["lines"])} lines could not be written (${textOf(entry["reason"])})`, where);
    }
    if (line.type !== "pruned") return;
    const { what, count, until } = entry;
    warnings.add("pruned", `${textOf(count)} ${textOf(what)} until ${textOf(until)} were removed by retention`, where);
    if (what !== "segments") return;
    prunedTo = Math.max(prunedTo, Number(entry["last_segment"]) || 0);
    if (Array.isArray(entry["continued"])) continued.push(...(entry["continued"] as Continued[]));
  }

  function checkNumbers(): void {
    for (const [index, segment] of segments.entries()) {
      const before = segments[index - 1]?.number;
      if (before === undefined || segment.number === before + 1) continue;
      const lost =
        segment.number - before === 2 ? `segment ${before + 1}` : `segments ${before + 1} to ${segment.number - 1}`;
      problems.add("segment", `${lost} before this one is missing`, { segment: segment.name, line: 1 });
    }
  }

  /** Every segment but the first begins by saying which one it is. */
  function checkFirst(segment: Segment, found: FoundLine | undefined, where: Where): void {
    const says = found?.line.type === "rotated" ? parseEntry(found.bytes)["segment"] : undefined;
    if (says === segment.number || (says === undefined && segment.number === 1)) return;
    const what =
      says === undefined
        ? "does not begin with the line that opens it"
        : `says that it is number ${JSON.stringify(says)}`;
    problems.add("segment", `segment ${segment.number} ${what}`, where);
  }

  function seqOf(writer: string): number | undefined {
    return chains.get(writer)?.seq;
  }

  function chainOf(writer: string): WriterChain {
    let chain = chains.get(writer);
    if (!chain) {
      const isKnown = (hash: string): boolean => citations.isRecent(hash);
      chain = createWriterChain(writer, { head: knownHeads.get(writer), problems, warnings, isKnown });
      chains.set(writer, chain);
    }
    return chain;
  }

  async function finish(): Promise<void> {
    for (const each of continued) chains.get(each.writer)?.continueFrom(each);
    const first = segments[0]?.number ?? 1;
    const isPruned = first > 1 && prunedTo >= first - 1;
    if (first > 1 && !isPruned) {
      problems.add("segment", `segments before number ${first} are missing, and no line says that they were pruned`, {
        segment: segments[0]!.name,
        line: 1,
      });
    }
    await citations.resolve(segments, problems, isPruned);
    const last = segments.at(-1)?.name ?? "chat_log.jsonl";
    for (const chain of chains.values()) chain.end(last);
    fragments.end(seqOf, knownHeads);
    tellHeads(last);
  }

  function tellHeads(last: string): void {
    if (typeof heads === "string") {
      warnings.add(
        "heads_unknown",
        `the store can't say where the log ended (${heads}), so a cut end is not found`,
        null,
      );
    }
    for (const each of knownHeads.values()) {
      if (chains.has(each.writer)) {
        checkLength(each);
        continue;
      }
      problems.add("truncated", `no line of writer ${each.writer} is there; the store knows of ${each.seq}`, {
        segment: last,
        line: null,
        writer: each.writer,
        seq: each.seq,
      });
    }
    if (noted !== undefined && !notedSeen) {
      problems.add("other_head", `no line has the hash ${noted.slice(0, 16)}…, which was noted before`, null);
    }
  }

  /** Also a line end alone may have been cut off. */
  function checkLength({ writer, seq, segment, bytes }: JournalHead): void {
    const length = lengths.get(segment);
    const name = segments.find(({ number }) => number === segment)?.name;
    if (length === undefined || name === undefined || length >= bytes) return;
    const message = `is ${length} bytes long; the store knows of ${bytes}`;
    problems.add("truncated", message, { segment: name, line: null, writer, seq });
  }
}

const specialTypes = new Set(["repaired", "pruned", "gap"]);

function parseEntry(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString()) as Record<string, unknown>;
  } catch {
    return {}; // Its hash is true, so whoever wrote it meant it so.
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
