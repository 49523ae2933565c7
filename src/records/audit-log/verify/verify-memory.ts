import type { JournalHead, JournalMemory, JournalPrune } from "../../../core/log-heads-port.ts";

/** What the store remembers, or why it can't be asked. */
export type Recall = () => JournalMemory | string;

/** What is asked of the store while a journal is read that others may be writing. */
export interface StoreMemory {
  /** Why it can't be asked; null when it can. */
  readonly silence: string | null;
  /** As they were before the first line was read: a head that is newer than what was read would look like a cut. */
  readonly heads: ReadonlyMap<string, JournalHead>;
  /** True as well when nobody can be asked. */
  knows(writer: string): boolean;
  /**
   * That its writer had come this far: then the hash the store keeps also stands for what this line says. True as well when
   * nobody can be asked.
   */
  confirms(line: { readonly writer: string; readonly seq: number }): boolean;
  /** True as well when nobody can be asked. */
  knowsPrune(prune: Omit<JournalPrune, "at">): boolean;
  /** As it is known now. */
  headOf(writer: string): JournalHead | undefined;
  /** Asks once more, when all is read: whatever was read is older than what it says then. */
  refresh(): void;
}

/** Whoever puts in many writers must not make it slow. */
const mostQuestions = 100;

export function openStoreMemory(recall: Recall): StoreMemory {
  const first = recall();
  const silence = typeof first === "string" ? first : null;
  const heads = new Map<string, JournalHead>();
  const newest = new Map<string, JournalHead>();
  let prunes: readonly JournalPrune[] = [];
  let questions = 0;
  if (typeof first !== "string") {
    for (const head of first.heads) heads.set(head.writer, head);
    take(first);
  }

  function take(memory: JournalMemory): void {
    for (const head of memory.heads) newest.set(head.writer, head);
    prunes = memory.prunes;
  }

  function refresh(): void {
    const memory = recall();
    if (typeof memory !== "string") take(memory);
  }

  return {
    silence,
    heads,
    knows(writer) {
      if (silence !== null || newest.has(writer)) return true;
      // It may have begun to write after we began to read.
      if (++questions <= mostQuestions) refresh();
      return newest.has(writer);
    },
    confirms: ({ writer, seq }) => silence !== null || seq <= (newest.get(writer)?.seq ?? 0),
    knowsPrune: ({ firstSegment, lastSegment, lastHash }) =>
      silence !== null ||
      prunes.some(
        (each) => each.firstSegment === firstSegment && each.lastSegment === lastSegment && each.lastHash === lastHash,
      ),
    headOf: (writer) => newest.get(writer),
    refresh: () => {
      if (silence === null) refresh();
    },
  };
}
