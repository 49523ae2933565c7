import type { Clock } from "../core/clock.ts";
import type { JournalHead, JournalHeads } from "../core/journal-heads.ts";

const delayMs = 100;

/**
 * Keeps the store so close behind the journal that a line which somebody else put in under the name of a writer shows:
 *
 * - a writer is known to the store before its first line is in the file;
 * - before a line that comes more than 100 ms after the last time the store was told, the store is told that its writer is
 *   about to write;
 * - what it wrote is in the store at the latest 100 ms later.
 */
export interface HeadKeeper {
  /** Before lines are written after this head. A promise: the writer is not known yet, so its first line has to wait. */
  announce(head: JournalHead): Promise<void> | undefined;
  /** That promise, as long as it is open. */
  readonly announcing: Promise<void> | undefined;
  /** Takes the newest head. */
  moved(head: JournalHead): void;
  /** The process ends: at once or never. */
  writeNow(): void;
  /** Never rejects: without heads the journal is still a chain, only its end can't be told. */
  flush(): Promise<void>;
}

export function createHeadKeeper(heads: JournalHeads | null, clock: Clock): HeadKeeper {
  let isKnown = false;
  let announcing: Promise<void> | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  let waiting: JournalHead | undefined;
  let cancelTimer: (() => void) | undefined;
  let saving = Promise.resolve();

  /** Undefined when it is in the store already, or never will be. */
  function save(head: JournalHead): Promise<void> | undefined {
    cancelTimer?.();
    cancelTimer = undefined;
    waiting = undefined;
    toldAt = clock.monotonic();
    const current = { ...head, at: clock.now() };
    if (!heads || writeAtOnce(heads, current)) return undefined;
    saving = saving.then(() => heads.save(current)).catch(() => undefined);
    return saving;
  }

  function write(): void {
    if (waiting) void save(waiting);
  }

  return {
    announce(head) {
      if (!heads || announcing) return announcing;
      if (clock.monotonic() - toldAt < delayMs) return undefined;
      const saved = save(head);
      if (!saved || isKnown) {
        isKnown = true;
        return undefined;
      }
      announcing = saved.then(() => {
        isKnown = true;
        announcing = undefined;
      });
      return announcing;
    },
    get announcing() {
      return announcing;
    },
    moved(head) {
      if (!heads) return;
      waiting = head;
      cancelTimer ??= clock.after(delayMs, write);
    },
    writeNow() {
      if (waiting && heads) writeAtOnce(heads, waiting);
    },
    flush() {
      write();
      return saving;
    },
  };
}

function writeAtOnce(heads: JournalHeads, head: JournalHead): boolean {
  try {
    return heads.saveNow?.(head) ?? false;
  } catch {
    return true; // The store can't be used; waiting would not help.
  }
}
