import type { JournalHead, JournalHeads, JournalPrune } from "../../core/log-heads-port.ts";

/** For as long as the process lives: for tests, and for runtimes that want no store file. */
export function createMemoryJournalHeads(): JournalHeads {
  const heads = new Map<string, JournalHead>();
  const prunes: JournalPrune[] = [];

  function saveNow(head: JournalHead): boolean {
    if (head.seq >= (heads.get(head.writer)?.seq ?? 0)) heads.set(head.writer, { ...head });
    return true;
  }

  return {
    saveNow,
    async save(head) {
      saveNow(head);
    },
    async list() {
      return [...heads.values()].sort((a, b) => a.at - b.at || (a.writer < b.writer ? -1 : 1));
    },
    async remove(writers) {
      for (const writer of writers) heads.delete(writer);
    },
    async savePrune(prune) {
      prunes.push({ ...prune });
    },
    async listPrunes() {
      return [...prunes];
    },
  };
}
