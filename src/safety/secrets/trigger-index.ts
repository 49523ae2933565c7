import type { Trigger } from "./secret-span.ts";

/**
 * Finds every place where one of many words begins, in one pass. Most texts hold none, so what counts is the price of a
 * character: one table look-up by a hash of the last three.
 */
export interface TriggerIndex {
  readonly table: Uint16Array;
  readonly buckets: readonly (readonly Trigger[])[];
}

export const hashBits = 15;
const size = 1 << hashBits;

export function createTriggerIndex(triggers: readonly Trigger[]): TriggerIndex {
  return extendTriggerIndex({ table: new Uint16Array(size), buckets: [[]] }, triggers);
}

export function extendTriggerIndex(index: TriggerIndex, triggers: readonly Trigger[]): TriggerIndex {
  const table = index.table.slice();
  const buckets = index.buckets.map((bucket) => [...bucket]);
  for (const trigger of triggers) {
    for (const hash of new Set(beginningsOf(trigger).map(hashOf))) {
      const at = table[hash]!;
      if (at === 0) table[hash] = buckets.push([trigger]) - 1;
      else buckets[at]!.push(trigger);
    }
  }
  return { table, buckets };
}

export function startsAt(text: string, at: number, { word, anyCase }: Trigger): boolean {
  if (text.startsWith(word, at)) return true;
  return anyCase && text.slice(at, at + word.length).toLowerCase() === word;
}

/** The same step as in `findSecrets`: after three of them, older characters have left the hash. */
function hashOf(three: string): number {
  let hash = 0;
  for (let i = 0; i < 3; i++) hash = ((hash << 5) ^ three.charCodeAt(i)) & (size - 1);
  return hash;
}

function beginningsOf({ word, anyCase }: Trigger): string[] {
  let beginnings = [""];
  for (const letter of word.slice(0, 3)) {
    const forms = anyCase ? new Set([letter.toLowerCase(), letter.toUpperCase()]) : [letter];
    beginnings = beginnings.flatMap((beginning) => [...forms].map((form) => beginning + form));
  }
  return beginnings;
}
