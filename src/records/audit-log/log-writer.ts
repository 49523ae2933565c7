import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { JournalHead } from "../../core/stores.ts";
import { encodeBody, encodeLine } from "./log-line.ts";
import { type LogFile, toLogError } from "./log-file.ts";
import type { Torn } from "./read-tail.ts";

/** What a line will say: its body is encoded already, because the record it tells of may change. */
export interface Draft {
  readonly at: number;
  readonly body: string;
  /** The call that it is about; for telling what was lost. */
  readonly id?: string;
}

export interface JournalWriter {
  readonly id: string;
  /** How many lines of it are in the file. */
  readonly written: number;
  /** As `write` has told it last; its number is 0 before the first line. */
  readonly head: JournalHead;
  /** Writes them all, in one write where the disk lets it, or throws a RuntimeError; then those that are missing count as lost. */
  write(drafts: readonly Draft[]): JournalHead;
  /** Counts lines that were not even tried: the next one that is written says so. */
  lose(drafts: readonly Draft[], thrown: unknown): void;
  readonly hasLost: boolean;
}

export interface JournalWriterOptions {
  readonly file: LogFile;
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly id?: string;
  /** What the first line tells of this writer. */
  readonly about?: Readonly<Record<string, unknown>>;
}

interface Pending {
  readonly text: string;
  readonly hash: string;
  readonly draft: Draft;
}

/** How many lost calls are named. */
const mostNamed = 100;
const rotateAgainMs = 100;

/** The chain of one writer: numbers its lines, links them, and tells what went wrong on the way. */
export function createJournalWriter(options: JournalWriterOptions): JournalWriter {
  const { file, clock, maxBytes } = options;
  const id = options.id ?? randomBytes(8).toString("hex");
  let isOpened = false;
  let seq = 0;
  let prev: string | null = null;
  let head: JournalHead = { writer: id, seq: 0, hash: "", segment: 0, bytes: 0, at: 0 };
  let lost = { lines: 0, since: 0, reason: "", ids: [] as string[] };
  /** What this writer itself left unfinished at the end of the file. */
  let ownTorn: Torn | null = null;
  let failedToRotateAt = Number.NEGATIVE_INFINITY;
  /** The time of the last line. */
  let lastAt = Number.NEGATIVE_INFINITY;

  function write(drafts: readonly Draft[]): JournalHead {
    try {
      return append(drafts);
    } catch (thrown) {
      throw toLogError(thrown, file.path);
    }
  }

  function append(drafts: readonly Draft[]): JournalHead {
    let left = drafts;
    try {
      const at = drafts[0]?.at ?? clock.now();
      let tail = file.look();
      if (tail.size >= maxBytes && tryRotate(tail.lastHash, at)) tail = file.look();
      const torn = tail.torn ?? ownTorn;
      const pending = chain(
        [...(isOpened ? [] : [opened(at)]), ...(torn ? [repaired(torn, at)] : []), ...gap(at), ...drafts],
        tail.lastHash === prev ? null : tail.lastHash,
      );
      // The line end before a repaired record ends whatever stands there unfinished.
      const begin = torn ? "\n" : "";
      const bytes = Buffer.from(begin + pending.map(({ text }) => text).join(""));
      const written = file.write(bytes);
      if (written < bytes.length) {
        left = commitPart(pending, bytes.subarray(0, written), begin.length);
        throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
      }
      seq += pending.length;
      prev = pending.at(-1)!.hash;
      isOpened = true;
      ownTorn = null;
      if (lost.lines > 0) lost = { lines: 0, since: 0, reason: "", ids: [] };
      head = { writer: id, seq, hash: prev, segment: tail.segment, bytes: tail.size + written, at: clock.now() };
      return head;
    } catch (thrown) {
      count(left, thrown);
      throw thrown;
    }
  }

  function chain(drafts: readonly Draft[], after: string | null): Pending[] {
    let [number, before, seen] = [seq, prev, after];
    const now = clock.now();
    return drafts.map((draft) => {
      // A line that waited while a later one was written did not turn the clock back.
      const ms = draft.at < lastAt && lastAt <= now ? lastAt : draft.at;
      lastAt = ms;
      const at = timeText(ms);
      const line = encodeLine({ writer: id, seq: ++number, prev: before, after: seen, at }, draft.body);
      before = line.hash;
      seen = null;
      return { text: line.text, hash: line.hash, draft };
    });
  }

  /** Whole lines that got there count; says which drafts did not. */
  function commitPart(pending: readonly Pending[], written: Buffer, begin: number): Draft[] {
    let [end, index] = [begin, 0];
    for (; index < pending.length; index++) {
      const next = end + Buffer.byteLength(pending[index]!.text);
      if (next > written.length) break;
      end = next;
      seq += 1;
      prev = pending[index]!.hash;
      isOpened = true;
    }
    if (written.length > end) {
      const rest = written.subarray(end);
      ownTorn = { bytes: rest.length, sha256: createHash("sha256").update(rest).digest("hex") };
    }
    return pending.slice(index).flatMap(({ draft }) => (ownDrafts.has(draft) ? [] : [draft]));
  }

  function count(drafts: readonly Draft[], thrown: unknown): void {
    if (drafts.length === 0) return;
    if (lost.lines === 0) lost = { lines: 0, since: drafts[0]?.at ?? clock.now(), reason: "", ids: [] };
    lost.lines += drafts.length;
    lost.reason = messageOf(thrown);
    for (const { id: call } of drafts) {
      if (call !== undefined && lost.ids.length < mostNamed && !lost.ids.includes(call)) lost.ids.push(call);
    }
  }

  const ownDrafts = new WeakSet<Draft>();

  /** Never later than the lines it goes before. */
  function own(entry: object, at: number): Draft {
    const draft = { at, body: encodeBody(entry) };
    ownDrafts.add(draft);
    return draft;
  }

  function opened(at: number): Draft {
    return own({ type: "opened", pid: process.pid, ...options.about }, at);
  }

  function repaired({ bytes, sha256 }: Torn, at: number): Draft {
    return own({ type: "repaired", bytes, sha256 }, at);
  }

  function gap(at: number): Draft[] {
    if (lost.lines === 0) return [];
    const { lines, since, reason, ids } = lost;
    return [own({ type: "gap", lines, since: timeText(since), reason, ids }, at)];
  }

  /** True when the next segment was begun, here or by another process. What prevents that must not keep lines from being written. */
  function tryRotate(lastHash: string | null, at: number): boolean {
    const now = clock.monotonic();
    if (now - failedToRotateAt < rotateAgainMs) return false;
    try {
      if (file.isClosedByOther()) return true;
      const segment = file.look().segment + 1;
      const [first] = chain([own({ type: "rotated", segment }, at)], lastHash) as [Pending];
      if (file.rotate(first.text, id)) {
        seq += 1;
        prev = first.hash;
        return true;
      }
    } catch {
      // Tried again a moment later.
    }
    failedToRotateAt = now;
    return false;
  }

  return {
    id,
    get written() {
      return seq;
    },
    get head() {
      return head;
    },
    write,
    lose: count,
    get hasLost() {
      return lost.lines > 0;
    },
  };
}

let lastMs = Number.NaN;
let lastText = "";

/** Lines of one moment share it. A clock that gives no time gives the first one there is. */
function timeText(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = new Date(Math.abs(ms) <= 8.64e15 ? ms : 0).toISOString();
  }
  return lastText;
}
