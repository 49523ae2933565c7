import type { Clock } from "../../core/clock.ts";
import type { EntryPlace, JournalCursor, JournalReader, PlacedEntry } from "../../records/audit-log/log-reader.ts";
import { comparePlaces, logFrame, resetFrame } from "./event-frame.ts";

/** The journal as it is written, read once for all who listen. What came last is remembered for those who come back. */
export interface JournalFeed {
  /**
   * Those from this place on that are remembered go to the listener now, later ones as they come. Undefined: some in between
   * are not remembered; read them in the journal, and try again from there.
   */
  join(from: EntryPlace, listener: (frames: string) => void): (() => void) | undefined;
  /** Where the entry after this one would begin; undefined when it is not remembered. */
  placeAfter(entry: EntryPlace): EntryPlace | undefined;
  /** Where it has come to. */
  readonly head: EntryPlace;
  close(): Promise<void>;
}

const lookEveryMs = 100;
/** When nobody listens. */
const restMs = 1000;
const mostRemembered = 1024 * 1024;

interface Remembered {
  readonly place: EntryPlace;
  readonly frame: string;
}

export async function openJournalFeed(parts: {
  readonly journal: Pick<JournalReader, "cursor">;
  readonly clock: Clock;
  readonly onEntry: (entry: PlacedEntry["entry"]) => void;
  readonly onError: (thrown: unknown) => void;
}): Promise<JournalFeed> {
  const { journal, clock } = parts;
  /** Each with the place it begins at: who read on in the journal may be ahead of what was read here. */
  const listeners = new Map<(frame: string) => void, EntryPlace>();
  let remembered: Remembered[] = [];
  let characters = 0;
  let cursor: JournalCursor = await openAtEnd();
  let looking: Promise<void> | undefined;
  let cancelTimer: (() => void) | undefined;
  let isClosed = false;

  async function openAtEnd(): Promise<JournalCursor> {
    return (await journal.cursor(null))!;
  }

  async function look(): Promise<void> {
    for (;;) {
      const entries = await cursor.read();
      if (entries === null) await beginAnew();
      else if (entries.length > 0) tell(entries);
      if (isClosed || !entries || entries.length === 0) return;
    }
  }

  /** The log was taken away; what comes now is another one. */
  async function beginAnew(): Promise<void> {
    await cursor.close();
    cursor = await openAtEnd();
    [remembered, characters] = [[], 0];
    for (const listener of listeners.keys()) {
      listeners.set(listener, { segment: 0, offset: 0 });
      listener(resetFrame);
    }
  }

  /** In one piece for each listener: what a write costs hardly depends on how much it is. */
  function tell(entries: readonly PlacedEntry[]): void {
    const news = entries.map((entry) => ({ place: entry.place, frame: logFrame(entry) }));
    remembered.push(...news);
    characters += news.reduce((sum, { frame }) => sum + frame.length, 0);
    while (characters > mostRemembered) characters -= remembered.shift()!.frame.length;
    const whole = framesFrom(news, news[0]!.place);
    for (const [listener, from] of listeners) {
      const frames = comparePlaces(news[0]!.place, from) >= 0 ? whole : framesFrom(news, from);
      if (frames !== "") listener(frames);
    }
    for (const { entry } of entries) parts.onEntry(entry);
  }

  function lookSoon(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    if (isClosed || looking) return;
    looking = look()
      .catch(parts.onError)
      .finally(() => {
        looking = undefined;
        if (!isClosed) cancelTimer = clock.after(listeners.size > 0 ? lookEveryMs : restMs, lookSoon);
      });
  }

  lookSoon();
  return {
    get head() {
      return cursor.place;
    },
    placeAfter(entry) {
      const at = remembered.findLastIndex(({ place }) => comparePlaces(place, entry) === 0);
      return at === -1 ? undefined : (remembered[at + 1]?.place ?? cursor.place);
    },
    join(from, listener) {
      const floor = remembered[0]?.place ?? cursor.place;
      if (comparePlaces(from, floor) < 0) return undefined;
      const missed = framesFrom(remembered, from);
      if (missed !== "") listener(missed);
      listeners.set(listener, from);
      if (listeners.size === 1) lookSoon();
      return () => void listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      cancelTimer?.();
      await looking;
      await cursor.close();
    },
  };
}

function framesFrom(news: readonly Remembered[], from: EntryPlace): string {
  return news
    .filter(({ place }) => comparePlaces(place, from) >= 0)
    .map(({ frame }) => frame)
    .join("");
}
