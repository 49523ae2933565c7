import type { Clock } from "../core/clock.ts";
import type { JournalHead, JournalHeads } from "../core/journal-heads.ts";

const delayMs = 100;

export interface HeadKeeper {
  /** Takes the newest head; it is in the store at the latest 100 ms later. */
  moved(head: JournalHead): void;
  /** The process ends: at once or never. */
  writeNow(): void;
  /** Never rejects: without heads the journal is still a chain, only its end can't be told. */
  flush(): Promise<void>;
}

export function createHeadKeeper(heads: JournalHeads | null, clock: Clock): HeadKeeper {
  let waiting: JournalHead | undefined;
  let cancelTimer: (() => void) | undefined;
  let saving = Promise.resolve();

  function write(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    const head = waiting;
    waiting = undefined;
    if (!head || !heads || writeAtOnce(heads, head)) return;
    saving = saving.then(() => heads.save(head)).catch(() => undefined);
  }

  return {
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
