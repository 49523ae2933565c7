import type { InboxEntry, InboxStore } from "../../core/approval-inbox-port.ts";

/** How many settled entries are remembered. */
const kept = 1000;

/** The inbox for as long as the process lives. */
export function createMemoryInbox(): InboxStore {
  const entries = new Map<string, InboxEntry>();
  let changes = 0;

  function forgetOldest(): void {
    for (const [id, { state }] of entries) {
      if (entries.size <= kept) return;
      if (state !== "waiting") entries.delete(id);
    }
  }

  const settledBefore = (time: number): InboxEntry[] =>
    [...entries.values()].filter(({ settledAt }) => settledAt !== null && settledAt < time);

  return {
    async add(entry) {
      entries.set(entry.id, structuredClone(entry));
      forgetOldest();
    },
    async get(id) {
      return structuredClone(entries.get(id));
    },
    async list({ states, limit, beforeId }) {
      const found = [...entries.values()].filter(
        ({ id, state }) => (states?.includes(state) ?? true) && (beforeId === undefined || id < beforeId),
      );
      return structuredClone(found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit));
    },
    async settle(id, settlement, at) {
      const entry = entries.get(id);
      if (entry?.state !== "waiting") return false;
      entries.set(id, { ...entry, state: settlement.state, settledAt: at, settlement: structuredClone(settlement) });
      changes += 1;
      return true;
    },
    revision: () => changes,
    countPrunable: async (time) => settledBefore(time).length,
    async prune(time) {
      const old = settledBefore(time);
      for (const { id } of old) entries.delete(id);
      return old.length;
    },
  };
}
