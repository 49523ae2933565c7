import { lstatSync } from "node:fs";
import { codeOf } from "../../../core/errors.ts";
import type { JournalHead } from "../../../core/stores.ts";
import { hashOfLine, readClaim, type Line } from "../log-line.ts";
import { findLine, readLines, type FoundLine, type RawLine } from "../read-log-lines.ts";
import { freezeSegments, type FrozenSegment, type Segment } from "../segments.ts";
import { createCitations, findUnaccounted, openStoreMemory, type Recall, type StoreMemory } from "./verify-accounts.ts";
import { createFragments, type LastLine } from "./verify-fragments.ts";
import {
  createFindings,
  type Findings,
  type LinePlace,
  type ProblemKind,
  type Revisable,
  type VerifyReport,
  type WarningKind,
  type Where,
} from "./verify-report.ts";
import { type Continued, createWriterChain, type WriterChain } from "./verify-writer.ts";

export interface VerifyOptions {
  readonly folder: string;
  /** Asked before the journal is read, after that, and where a writer is not known. */
  readonly recall: Recall;
  /** A hash that somebody noted: it has to be in the journal, and to account for what stands before it. */
  readonly head?: string;
}

/** Retention may remove files while they are read. */
const mostAttempts = 5;

/**
 * Reads all segments as they are at one moment, once, and tells what does not fit. Changes nothing. Rejects only when a file
 * can't be read.
 */
export async function verifyJournal(options: VerifyOptions): Promise<VerifyReport> {
  for (let attempt = 1; ; attempt++) {
    // Before the files: what the store knows by now is in them.
    const memory = openStoreMemory(options.recall);
    const { segments, close } = await freezeSegments(options.folder);
    try {
      return await verifySegments(segments, memory, options);
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT" || attempt === mostAttempts) throw thrown;
    } finally {
      await close();
    }
  }
}

async function verifySegments(
  segments: readonly FrozenSegment[],
  memory: StoreMemory,
  { folder, head: noted }: VerifyOptions,
): Promise<VerifyReport> {
  const problems = createFindings<ProblemKind>();
  const warnings = createFindings<WarningKind>();
  const citations = createCitations();
  const fragments = createFragments(memory, problems, warnings);
  const prunes = createPrunes(memory, problems, warnings);
  const chains = new Map<string, WriterChain>();
  const lengths = new Map<number, number>();
  let notedSeen = false;
  const total = { lines: 0, bytes: 0, firstAt: null as string | null, lastAt: null as string | null };
  let head: string | null = null;

  const readable = segments.filter(isReadable);
  checkNumbers();
  checkFolder();
  for (const segment of readable) {
    const before = total.bytes;
    for await (const block of readLines(segment)) for (const raw of block) readRaw(segment, raw);
    fragments.endOf(segment.name);
    lengths.set(segment.number, total.bytes - before);
  }
  await finish();
  return {
    ok: problems.count === 0 && (memory.silence === null || notedSeen),
    segments: segments.length,
    ...total,
    writers: chains.size,
    head,
    headsChecked: memory.silence === null ? memory.heads.size : null,
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
    const placed: LinePlace = { ...where, writer: line.writer, seq: line.seq };
    if (before) fragments.add(before, { ...where, isGlued: true }, lastOf);
    if (!raw.isEnded) warnings.add("torn", "has no line end: it is being written, or was cut there", placed);
    total.lines += 1;
    total.firstAt ??= line.at;
    total.lastAt = line.at;
    head = line.hash;
    if (noted === line.hash) notedSeen = true;
    if (raw.number === 1) checkFirst(segment, found, placed);
    if (line.after !== null) citations.cite(line.after, placed, raw.number === 1 && segment === segments[0]);
    chainOf(line.writer, placed).follow(line, placed);
    citations.know(line.hash);
    if (specialTypes.has(line.type)) readSpecial(line, found.bytes, placed);
  }

  function checkWriter(writer: string, where: Where): void {
    if (memory.knows(writer)) return;
    const message =
      "the store does not know its writer: its lines were forged, or the store is not that of this log, or an earlier version of Deckhand wrote them while the store could not be written, as on a full disk";
    problems.add("unknown_writer", message, where);
  }

  /** Not a line, or one that does not fit its hash. */
  function readBroken(raw: RawLine, where: Where): void {
    const claim = raw.isEnded ? readClaim(raw.bytes) : undefined;
    if (!claim || claim.hash === null) {
      fragments.add(raw.bytes, { ...where, isGlued: false, isLast: !raw.isEnded }, lastOf);
      return;
    }
    const { writer, seq, hash } = claim;
    problems.add("edited", "does not fit its hash: it was changed", { ...where, writer, seq });
    const hashes = [hash, hashOfLine(raw.bytes)];
    for (const each of hashes) citations.know(each);
    chainOf(writer, { ...where, writer, seq }).tolerate({ seq, hashes });
  }

  function readSpecial(line: Line, bytes: Buffer, where: LinePlace): void {
    const entry = parseEntry(bytes);
    // Whoever is not known explains nothing.
    if (!memory.knows(line.writer)) return;
    if (line.type === "repaired") fragments.explain(Number(entry["bytes"]), textOf(entry["sha256"]), where);
    if (line.type === "gap") {
      warnings.add("gap", `${textOf(entry["lines"])} lines could not be written (${textOf(entry["reason"])})`, where);
    }
    if (line.type === "pruned") prunes.add(entry, where);
  }

  function isReadable({ name, path }: Segment): boolean {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || stats.isFile()) return true;
    const what = stats.isSymbolicLink() ? "a link" : "not a file";
    problems.add("not_a_file", `is ${what}, which the log never is: it was not read`, { segment: name, line: null });
    return false;
  }

  function checkFolder(): void {
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
    problems.add(
      "not_a_file",
      `the folder ${folder} is a link, which it never is: whoever made it chose the log`,
      null,
    );
  }

  function checkNumbers(): void {
    for (const [index, segment] of segments.entries()) {
      const before = segments[index - 1]?.number;
      if (before === undefined || segment.number === before + 1) continue;
      const lost =
        segment.number - before === 2
          ? `segment ${before + 1} before this one is`
          : `segments ${before + 1} to ${segment.number - 1} before this one are`;
      problems.add("segment", `${lost} missing`, { segment: segment.name, line: 1 });
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

  function lastOf(writer: string): LastLine | undefined {
    return chains.get(writer);
  }

  function chainOf(writer: string, where: Where): WriterChain {
    let chain = chains.get(writer);
    if (!chain) {
      checkWriter(writer, where);
      const isKnown = (hash: string): boolean => citations.isRecent(hash);
      chain = createWriterChain(writer, { head: memory.heads.get(writer), problems, warnings, isKnown });
      chains.set(writer, chain);
    }
    return chain;
  }

  async function finish(): Promise<void> {
    memory.refresh();
    const { to: prunedTo, continued } = prunes.end();
    for (const each of continued) chains.get(each.writer)?.continueFrom(each);
    const first = segments[0]?.number ?? 1;
    const isPruned = first > 1 && prunedTo >= first - 1;
    if (first > 1 && !isPruned) {
      problems.add("segment", `segments before number ${first} are missing, and no line says that they were pruned`, {
        segment: segments[0]!.name,
        line: 1,
      });
    }
    await citations.resolve(readable, problems, isPruned);
    const last = segments.at(-1)?.name ?? "chat_log.jsonl";
    for (const [writer, chain] of chains) chain.end(last, memory.headOf(writer));
    fragments.end(lastOf);
    tellHeads(last, prunedTo);
    await checkNoted();
  }

  function tellHeads(last: string, prunedTo: number): void {
    if (memory.silence !== null) {
      const lacks = "so neither a cut end nor lines of a forged writer are found";
      warnings.add("heads_unknown", `the store can't be asked (${memory.silence}), ${lacks}`, null);
    }
    for (const each of memory.heads.values()) {
      if (chains.has(each.writer)) {
        checkLength(each);
        continue;
      }
      // Either it never came to its first line, or retention took all of them.
      if (each.seq === 0 || each.segment <= prunedTo) continue;
      problems.add("truncated", `no line of writer ${each.writer} is there; the store knows of ${each.seq}`, {
        segment: last,
        line: null,
        writer: each.writer,
        seq: each.seq,
      });
    }
  }

  async function checkNoted(): Promise<void> {
    if (noted === undefined) return;
    if (!notedSeen) {
      problems.add("other_head", `no line has the hash ${noted.slice(0, 16)}…, which was noted before`, null);
      return;
    }
    const isConfirmed = ({ writer, seq }: Line): boolean => seq <= (memory.headOf(writer)?.seq ?? 0);
    const found = await findUnaccounted(readable, noted, isConfirmed);
    if (!found) return;
    const what = found.count === 1 ? "this line" : `this and ${found.count - 1} more lines`;
    const why = "put in, or written in the same moment as a line of somebody else";
    const message = `neither the head that was noted nor the store accounts for ${what} before it: ${why}`;
    problems.add("unaccounted", message, found.first);
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

/** Lines that say what retention has removed. */
export interface Prunes {
  /** One that a known writer wrote. */
  add(entry: Readonly<Record<string, unknown>>, where: LinePlace): void;
  /**
   * When all is read: up to which segment, and where chains go on. Only what the store knows of as well counts, and only in
   * a line that it confirms: anyone can say more of the same pruning in the name of a writer that was killed.
   */
  end(): { readonly to: number; readonly continued: readonly Continued[] };
}

interface Claim {
  readonly firstSegment: number;
  readonly lastSegment: number;
  readonly lastHash: string | null;
  readonly continued: readonly Continued[];
  readonly where: LinePlace;
  readonly remark: Revisable<WarningKind>;
}

function createPrunes(memory: StoreMemory, problems: Findings<ProblemKind>, warnings: Findings<WarningKind>): Prunes {
  const claims: Claim[] = [];
  return {
    add(entry, where) {
      const { what, count, until } = entry;
      const message = `${textOf(count)} ${textOf(what)} until ${textOf(until)} were removed by retention`;
      const remark = warnings.add("pruned", message, where);
      if (what === "segments") claims.push({ ...claimOf(entry), where, remark });
    },
    end() {
      const known = claims.filter((claim) => {
        const { firstSegment, lastSegment, where, remark } = claim;
        if (memory.knowsPrune(claim)) {
          const isConfirmed = memory.confirms(where);
          if (!isConfirmed) remark.withdraw();
          return isConfirmed;
        }
        const message = `says that retention removed segments ${firstSegment} to ${lastSegment}; the store knows nothing of it`;
        problems.add("segment", message, where);
        return false;
      });
      return {
        to: Math.max(0, ...known.map(({ lastSegment }) => lastSegment)),
        continued: known.flatMap(({ continued }) => continued),
      };
    },
  };
}

function claimOf(entry: Readonly<Record<string, unknown>>): Omit<Claim, "where" | "remark"> {
  const { first_segment: first, last_segment: last, last_hash: hash, continued } = entry;
  return {
    firstSegment: Number(first) || 0,
    lastSegment: Number(last) || 0,
    lastHash: typeof hash === "string" ? hash : null,
    continued: Array.isArray(continued) ? continued.filter(isContinued) : [],
  };
}

function isContinued(value: unknown): value is Continued {
  return typeof value === "object" && value !== null && "writer" in value && "seq" in value && "hash" in value;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
