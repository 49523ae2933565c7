import type { Clock } from "../../core/clock.ts";
import type { JournalHead, JournalHeads } from "../../core/stores.ts";

const delayMs = 100;

/**
 * Keeps the store so close behind the log that a line which another program added under the name of a writer shows:
 *
 * - a writer is known to the store before its first line is in the file;
 * - before a line that comes more than 100 ms after the last time the store was told, the store is told that its writer is
 *   about to write;
 * - what it wrote is in the store at the latest 100 ms later.
 *
 * A store that can't be written (its disk is full) keeps lines from being written: a line that the store can't account for
 * looks like a forged one ever after.
 */
export interface HeadKeeper {
  /**
   * Before lines are written after this head. Throws, or rejects, when the store can't be told: then they must not be written.
   * A promise: the store does not know enough yet, so the lines have to wait.
   */
  announce(head: JournalHead): Promise<void> | undefined;
  /** That promise, as long as it is open. */
  readonly announcing: Promise<void> | undefined;
  /** The same as `announce` when the process ends, and nothing can be waited for. */
  announceNow(head: JournalHead): void;
  /** Takes the newest head. */
  moved(head: JournalHead): void;
  /** The process ends: at once or never. */
  writeNow(): void;
  /** Never rejects: what the store could not take keeps the next lines from being written. */
  flush(): Promise<void>;
}

export function createHeadKeeper(heads: JournalHeads | null, clock: Clock): HeadKeeper {
  /** The store knows the writer, and has taken all that it was told, or was busy a moment ago. */
  let isTold = false;
  let announcing: Promise<void> | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  let waiting: JournalHead | undefined;
  let cancelTimer: (() => void) | undefined;
  let saving = Promise.resolve();

  /** Undefined when it is in the store already. Throws, or rejects, when it can't be. */
  function save(head: JournalHead): Promise<void> | undefined {
    cancelTimer?.();
    cancelTimer = undefined;
    waiting = undefined;
    toldAt = clock.monotonic();
    try {
      if (saveAtOnce(head)) return undefined;
    } catch (thrown) {
      isTold = false;
      waiting = head;
      throw thrown;
    }
    const current = { ...head, at: clock.now() };
    const saved = saving
      .then(() => heads!.save(current))
      .then(
        () => void (isTold = true),
        (thrown: unknown) => {
          isTold = false;
          waiting ??= head;
          throw thrown;
        },
      );
    saving = saved.catch(() => undefined);
    return saved;
  }

  /** False: the store is busy. */
  function saveAtOnce(head: JournalHead): boolean {
    const isSaved = heads!.saveNow?.({ ...head, at: clock.now() }) ?? false;
    if (isSaved) isTold = true;
    return isSaved;
  }

  /** A failure is remembered: the next lines are not written before the store was told. */
  function write(): void {
    if (!waiting) return;
    try {
      save(waiting)?.catch(() => undefined);
    } catch {
      // As above.
    }
  }

  return {
    announce(head) {
      if (!heads || announcing) return announcing;
      if (isTold && clock.monotonic() - toldAt < delayMs) return undefined;
      const wasTold = isTold;
      const saved = save(head);
      if (!saved) return undefined;
      const done = saved.finally(() => (announcing = undefined));
      done.catch(() => undefined);
      if (wasTold) return undefined;
      announcing = done;
      return announcing;
    },
    get announcing() {
      return announcing;
    },
    announceNow(head) {
      if (heads && !isTold && !saveAtOnce(head)) throw new Error("the store is being written by another process");
    },
    moved(head) {
      if (!heads) return;
      waiting = head;
      cancelTimer ??= clock.after(delayMs, write);
    },
    writeNow() {
      try {
        if (waiting && heads) heads.saveNow?.(waiting);
      } catch {
        // Its lines are of the last moment, which the store need not know.
      }
    },
    flush() {
      write();
      return saving;
    },
  };
}
