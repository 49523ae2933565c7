import type { InboxEntry, InboxStore } from "../../core/approval.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { SessionLease, SessionLeases } from "../../core/session.ts";
import type { JournalHead, JournalHeads, JournalPrune } from "../../core/stores.ts";

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

/** For as long as the process lives: for tests, and for runtimes that want no store file. */
export function createMemorySessionLeases(): SessionLeases {
  const leases = new Map<string, SessionLease>();
  return {
    async take(lease, replaces) {
      const present = leases.get(lease.sessionId);
      if (present && !(replaces && isSame(present, replaces))) return structuredClone(present);
      leases.set(lease.sessionId, structuredClone(lease));
      return undefined;
    },
    async release(sessionId, owner) {
      const present = leases.get(sessionId);
      return present !== undefined && isSameOwner(present.owner, owner) && leases.delete(sessionId);
    },
    async list() {
      const all = structuredClone([...leases.values()]);
      return all.sort((a, b) => a.takenAt - b.takenAt || (a.sessionId < b.sessionId ? -1 : 1));
    },
  };
}

function isSame(a: SessionLease, b: SessionLease): boolean {
  return a.sessionId === b.sessionId && a.takenAt === b.takenAt && isSameOwner(a.owner, b.owner);
}

function isSameOwner(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId;
}
