/**
 * The last line of one writer of the journal, kept apart from the journal so that a journal that was cut short shows. A writer
 * is known here before its first line is in the file: then `seq` is 0 and `hash` empty.
 */
export interface JournalHead {
  readonly writer: string;
  readonly seq: number;
  readonly hash: string;
  /** The number of the segment it is in, and how long that was with it; both 0 before the first line. */
  readonly segment: number;
  readonly bytes: number;
  /** When this was known. What its writer wrote more than a moment later is known as well. */
  readonly at: number;
}

/** Segments that retention has removed. */
export interface JournalPrune {
  readonly firstSegment: number;
  readonly lastSegment: number;
  /** Of the last line that was in them; null when there was none. */
  readonly lastHash: string | null;
  readonly at: number;
}

/** What a store remembers of a journal. */
export interface JournalMemory {
  readonly heads: readonly JournalHead[];
  readonly prunes: readonly JournalPrune[];
}

export interface JournalHeads {
  /** Keeps the head of its writer. One with a lower `seq` than is known changes nothing. */
  save(head: JournalHead): Promise<void>;
  /** The same at once, for stores that can. False: nothing was done, and `save` is the way. */
  saveNow?(head: JournalHead): boolean;
  /** Oldest first. */
  list(): Promise<JournalHead[]>;
  /** For writers whose lines were all pruned. */
  remove(writers: readonly string[]): Promise<void>;
  /** Before segments are removed. Never forgotten. */
  savePrune(prune: JournalPrune): Promise<void>;
  /** Oldest first. */
  listPrunes(): Promise<JournalPrune[]>;
}
