import type { RolloutMark, RolloutReader, RolloutStore, RolloutTransaction } from "../../core/stores.ts";
import {
  decodeDocument,
  decodeEvent,
  decodeFeedback,
  encodeDocument,
  encodeEvent,
  encodeFeedback,
  type EventBody,
  type FeedbackBody,
} from "../rollout-body.ts";
import { mostEvents, mostSignatures, runAtOnce, wholeLimit } from "../store-rules.ts";

/** For as long as the process lives. Keeps the same texts as the one on disk, so that both give back the same. */
export function createMemoryRolloutStore(): RolloutStore {
  const kept: Kept = { documents: new Map(), marks: new Map(), lastEventId: 0, events: new Map(), feedback: new Map() };
  let revision = 0;
  let isInside = false;

  return {
    ...createReader(kept),
    revision: () => revision,
    async change(work) {
      // Begun inside of another one, which is over at the next turn: each is a step of its own.
      if (isInside) await Promise.resolve();
      const undo: Undo = [];
      isInside = true;
      try {
        const result = runAtOnce(work, createTransaction(kept, undo));
        revision += undo.length;
        return result;
      } catch (thrown) {
        for (const step of undo.toReversed()) step();
        throw thrown;
      } finally {
        isInside = false;
      }
    },
  };
}

/** The values inside are replaced, never changed, so that the one before can be put back; only marks are too many for that. */
interface Kept {
  readonly documents: Map<string, string>;
  /** By rollout. */
  readonly marks: Map<string, Map<string, RolloutMark>>;
  lastEventId: number;
  /** By tool, oldest first. */
  readonly events: Map<string, readonly (EventBody & { readonly id: number })[]>;
  /** By tool, then by version and signature; seen last comes last. */
  readonly feedback: Map<string, ReadonlyMap<string, FeedbackBody & { readonly version: string }>>;
}

type Undo = (() => void)[];

function createReader({ documents, marks, events, feedback }: Kept): RolloutReader {
  return {
    readDocument: (name) => decodeDocument(documents.get(name)),
    listDocuments: (prefix) => [...documents.keys()].filter((name) => name.startsWith(prefix)).sort(),
    findMark: (rolloutId, key) => marks.get(rolloutId)?.get(key),
    listEvents: ({ tool, limit, beforeId = Infinity }) =>
      (tool === undefined ? [...events.values()].flat() : (events.get(tool) ?? []))
        .filter(({ id }) => id < beforeId)
        .sort((a, b) => b.id - a.id)
        .slice(0, wholeLimit(limit))
        .flatMap((event) => decodeEvent(event.id, event) ?? []),
    listFeedback: ({ tool, limit, version }) =>
      [...(feedback.get(tool)?.values() ?? [])]
        .filter((each) => version === undefined || each.version === version)
        .reverse()
        .sort((a, b) => b.count - a.count)
        .slice(0, wholeLimit(limit))
        .flatMap(({ count, firstAt, lastAt, body }) => decodeFeedback({ count, firstAt, lastAt, body }) ?? []),
  };
}

function createTransaction(kept: Kept, undo: Undo): RolloutTransaction {
  const { documents, marks, events, feedback } = kept;
  const reader = createReader(kept);

  function put<Value>(map: Map<string, Value>, key: string, value: Value): void {
    rememberOf(map, key);
    map.set(key, value);
  }

  function remove(map: Map<string, unknown>, key: string): void {
    rememberOf(map, key);
    map.delete(key);
  }

  function rememberOf<Value>(map: Map<string, Value>, key: string): void {
    const before = map.get(key);
    undo.push(() => void (before === undefined ? map.delete(key) : map.set(key, before)));
  }

  return {
    ...reader,
    writeDocument: (name, document) => put(documents, name, encodeDocument(name, document)),
    removeDocuments(prefix) {
      for (const name of reader.listDocuments(prefix)) remove(documents, name);
    },
    mark(rolloutId, key, mark) {
      if (!marks.has(rolloutId)) put(marks, rolloutId, new Map());
      const ofRollout = marks.get(rolloutId)!;
      const known = ofRollout.get(key);
      if (known === undefined || (known === "seen" && mark === "failed")) put(ofRollout, key, mark);
    },
    removeMarks(rolloutId) {
      if (marks.has(rolloutId)) remove(marks, rolloutId);
    },
    addEvent(event) {
      const id = kept.lastEventId + 1;
      const added = { id, ...encodeEvent(event) };
      undo.push(() => void (kept.lastEventId = id - 1));
      kept.lastEventId = id;
      put(events, event.tool, [...(events.get(event.tool) ?? []), added].slice(-mostEvents));
    },
    addFeedback(given) {
      const { tool, version, signature, lastAt } = given;
      const key = JSON.stringify([version, signature]);
      const before = feedback.get(tool);
      const known = before?.get(key);
      const others = [...(before ?? [])].filter(([other]) => other !== key).slice(1 - mostSignatures);
      const count = (known?.count ?? 0) + 1;
      const row = { version, count, firstAt: known?.firstAt ?? lastAt, lastAt, body: encodeFeedback(given) };
      put(feedback, tool, new Map([...others, [key, row]]));
    },
  };
}
