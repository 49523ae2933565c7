import type { Clock } from "../../core/clock.ts";
import { messageOf, RuntimeError } from "../../core/errors.ts";
import type { JournalHeads } from "../../core/stores.ts";
import { toWire } from "../../core/wire.ts";
import { cleanValue } from "./clean-value.ts";
import type { JournalEntry, JournalSettings } from "./log-entry.ts";
import { encodeBody } from "./log-line.ts";
import { createJournalWriter, type Draft } from "./log-writer.ts";
import { createHeadKeeper } from "./log-heads.ts";
import { createLogFile, findLogProblem, type SyncFile, toLogError } from "./log-file.ts";
import { writeAtExit } from "../../core/write-at-exit.ts";

export interface JournalOptions {
  /** `.deckhand/logs`; it and the file are made with the first line. */
  readonly folder: string;
  readonly clock: Clock;
  /** Where the end of the chain is kept; null: nowhere, and a cut end can't be told. */
  readonly heads: JournalHeads | null;
  readonly settings: JournalSettings;
  /** Takes secrets out of what `append` is given. */
  readonly mask: (text: string) => string;
  /** Told when lines could not be written and nobody waits for them. The call's id, or nothing. */
  readonly onFailed: (failure: { readonly id: string; readonly error: string }) => void;
  readonly writer?: string;
  /** What the first line tells of this writer, such as its door and version. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** Instead of fsync, for whoever counts how often that happens. */
  readonly syncFile?: SyncFile;
}

export interface Journal {
  readonly path: string;
  readonly writer: string;
  readonly settings: JournalSettings;
  /** Why nothing could be written now; null when nothing speaks against it. */
  readonly problem: string | null;
  now(): number;
  /** How many lines wait to be written. */
  readonly waiting: number;
  /**
   * Writes a line before it returns, or rejects with a RuntimeError; a promise only when there is something to wait for. Where
   * `onFailure` is `continue` it never rejects.
   */
  append(entry: JournalEntry): Promise<void> | undefined;
  /** Writes it at the latest 20 ms later. */
  appendBehind(entry: JournalEntry): void;
  /** The same for what is masked and encoded already. */
  write(drafts: readonly Draft[]): Promise<void> | undefined;
  writeBehind(drafts: readonly Draft[]): void;
  /** Asked for more whenever waiting lines are about to be written. */
  collectFrom(collect: () => readonly Draft[]): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const delayMs = 20;
const syncEveryMs = 1000;
/** More than this waiting is written without waiting for the timer. */
const mostWaiting = 200;
/** Keys that are the journal's own. */
const ownKeys = ["v", "writer", "seq", "prev", "after", "at", "hash"];

export function openJournal(options: JournalOptions): Journal {
  const { clock, settings } = options;
  const file = createLogFile(options.folder, clock, options.syncFile);
  const writer = createJournalWriter({
    file,
    clock,
    maxBytes: settings.maxBytes,
    ...(options.writer === undefined ? {} : { id: options.writer }),
    ...(options.about === undefined ? {} : { about: options.about }),
  });
  const keeper = createHeadKeeper(options.heads, clock);
  const collectors: (() => readonly Draft[])[] = [];
  let waiting: Draft[] = [];
  let waitingSince = 0;
  let cancelTimer: (() => void) | undefined;
  let cancelSync: (() => void) | undefined;
  let forgetExit: (() => void) | undefined;
  let isPostponed = false;
  let isClosed = false;
  let closing: Promise<void> | undefined;

  function draftOf(entry: JournalEntry): Draft {
    const { type, ...said } = entry;
    const clean = toWire(cleanValue(said, options.mask)) as Record<string, unknown>;
    for (const key of ownKeys) delete clean[key];
    const { id } = clean;
    return { at: clock.now(), body: encodeBody({ type, ...clean }), ...(typeof id === "string" ? { id } : {}) };
  }

  function write(drafts: readonly Draft[]): Promise<void> | undefined {
    try {
      if (isClosed)
        throw new RuntimeError("LOG_UNWRITABLE", `The log ${file.path} was closed: open it again to write.`);
      const known = announce(drafts);
      if (known) {
        return known.then(
          () => write(drafts),
          (thrown: unknown) => {
            lose(drafts, thrown);
            return fail(drafts, thrown);
          },
        );
      }
      writeOut(drafts);
    } catch (thrown) {
      return fail(drafts, thrown);
    }
    return settings.fsync === "always" ? sync() : undefined;
  }

  function fail(drafts: readonly Draft[], thrown: unknown): Promise<void> | undefined {
    if (settings.onFailure === "refuse") return Promise.reject(toLogError(thrown, file.path));
    tellFailure(drafts, thrown);
    return undefined;
  }

  /** The store knows the writer before its first line is in the file. Where it can't, these lines and those that wait are lost. */
  function announce(drafts: readonly Draft[]): Promise<void> | undefined {
    try {
      return keeper.announce(writer.head);
    } catch (thrown) {
      lose(drafts, thrown);
      throw thrown;
    }
  }

  function lose(drafts: readonly Draft[], thrown: unknown): void {
    const behind = takeWaiting();
    writer.lose([...behind, ...drafts], thrown);
    tellFailure(behind, thrown);
  }

  function takeWaiting(): Draft[] {
    cancelTimer?.();
    cancelTimer = undefined;
    const behind = waiting;
    waiting = [];
    for (const collect of collectors) behind.push(...collect());
    return behind;
  }

  /** Those that wait go first. When it fails, those are told of here; the others are the caller's. */
  function writeOut(drafts: readonly Draft[]): void {
    const behind = takeWaiting();
    if (behind.length + drafts.length === 0) return;
    try {
      keeper.moved(writer.write(behind.length === 0 ? drafts : [...behind, ...drafts]));
    } catch (thrown) {
      tellFailure(behind, thrown);
      throw thrown;
    }
    if (settings.fsync === "interval") cancelSync ??= clock.after(syncEveryMs, syncLater);
  }

  function writeBehind(drafts: readonly Draft[]): void {
    if (isClosed) return;
    const now = clock.monotonic();
    if (!cancelTimer) {
      waitingSince = now;
      cancelTimer = clock.after(delayMs, writeWaiting);
      forgetExit ??= writeAtExit(writeLast);
    }
    for (const draft of drafts) waiting.push(draft);
    // Calls that follow each other without a pause leave the timer no turn: the clock is looked at here as well.
    if (waiting.length >= mostWaiting || now - waitingSince >= delayMs) writeWaiting();
  }

  function writeWaiting(): void {
    if (!cancelTimer || isPostponed) return;
    try {
      const known = announce([]);
      if (known) {
        isPostponed = true;
        void known.then(writePostponed, losePostponed);
      } else {
        writeOut([]);
      }
    } catch {
      // Reported already, for each of them.
    }
  }

  function writePostponed(): void {
    isPostponed = false;
    writeWaiting();
  }

  function losePostponed(thrown: unknown): void {
    isPostponed = false;
    lose([], thrown);
  }

  function writeLast(): void {
    try {
      if (cancelTimer) keeper.announceNow(writer.head);
    } catch (thrown) {
      lose([], thrown);
    }
    try {
      writeOut([]);
    } catch {
      // Reported already, for each of them.
    }
    keeper.writeNow();
  }

  function tellFailure(drafts: readonly Draft[], thrown: unknown): void {
    const error = messageOf(toLogError(thrown, file.path));
    for (const id of new Set(drafts.map((draft) => draft.id ?? ""))) options.onFailed({ id, error });
  }

  function syncLater(): void {
    cancelSync = undefined;
    void sync().catch((thrown: unknown) => options.onFailed({ id: "", error: messageOf(thrown) }));
  }

  async function sync(): Promise<void> {
    try {
      await file.sync();
    } catch (thrown) {
      throw toLogError(thrown, file.path);
    }
  }

  async function flush(): Promise<void> {
    writeWaiting();
    await announced();
    await keeper.flush();
  }

  /** Never rejects: what could not be written was reported. */
  async function announced(): Promise<void> {
    await keeper.announcing?.catch(() => undefined);
  }

  async function close(): Promise<void> {
    writeWaiting();
    await announced();
    isClosed = true;
    try {
      if (writer.written > 0 || writer.hasLost) {
        await keeper.announce(writer.head);
        keeper.moved(writer.write([{ at: clock.now(), body: encodeBody({ type: "closed" }) }]));
        if (settings.fsync !== "never") await sync();
      }
    } catch (thrown) {
      // What a writer without any line has lost was reported when it was.
      if (writer.written > 0) options.onFailed({ id: "", error: messageOf(thrown) });
    } finally {
      cancelSync?.();
      await keeper.flush();
      forgetExit?.();
      file.close();
    }
  }

  return {
    path: file.path,
    writer: writer.id,
    settings,
    get problem() {
      return findLogProblem(options.folder);
    },
    now: () => clock.now(),
    get waiting() {
      return waiting.length;
    },
    append: (entry) => write([draftOf(entry)]),
    appendBehind: (entry) => writeBehind([draftOf(entry)]),
    write,
    writeBehind,
    collectFrom: (collect) => void collectors.push(collect),
    flush,
    close: () => (closing ??= close()),
  };
}
