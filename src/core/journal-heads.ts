/** The last line of one writer of the journal, kept apart from the journal so that a journal that was cut short shows. */
export interface JournalHead {
  readonly writer: string;
  readonly seq: number;
  readonly hash: string;
  /** The number of the segment it is in, and how long that was with it. */
  readonly segment: number;
  readonly bytes: number;
  readonly at: number;
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
}
