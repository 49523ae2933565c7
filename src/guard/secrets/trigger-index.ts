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
  if (triggers.length === 0) return index;
  const table = index.table.slice();
  const buckets = index.buckets.slice();
  // Words of one family begin alike.
  const known = new Map<string, readonly number[]>();
  for (const trigger of triggers) {
    const key = `${trigger.anyCase}${trigger.word.slice(0, 3)}`;
    let hashes = known.get(key);
    if (hashes === undefined) known.set(key, (hashes = hashesOf(trigger)));
    for (const hash of hashes) {
      const at = table[hash]!;
      // Not added in place: the other index keeps its own.
      if (at === 0) table[hash] = buckets.push([trigger]) - 1;
      else if (buckets[at]!.at(-1) !== trigger) buckets[at] = [...buckets[at]!, trigger];
    }
  }
  return { table, buckets };
}

export function startsAt(text: string, at: number, { word, anyCase }: Trigger): boolean {
  if (text.startsWith(word, at)) return true;
  return anyCase && text.slice(at, at + word.length).toLowerCase() === word;
}

function hashesOf({ word, anyCase }: Trigger): number[] {
  let hashes = [0];
  for (let i = 0; i < 3; i++) {
    const letter = word[i]!;
    const upper = anyCase ? letter.toUpperCase() : letter;
    const stepped = hashes.map((hash) => step(hash, letter.charCodeAt(0)));
    hashes = upper === letter ? stepped : [...stepped, ...hashes.map((hash) => step(hash, upper.charCodeAt(0)))];
  }
  return hashes;
}

/** The same as in `findSecrets`: after three of them, older characters have left the hash. */
function step(hash: number, code: number): number {
  return ((hash << 5) ^ code) & (size - 1);
}

/** Where in a text a secret is. Only this part is replaced; the user, key or header around it stays. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** What kind of secret, as people read it in the mark: `github`, `password`. */
  readonly family: string;
  /** What the mark is made from when the text holds it in another form, such as base64. */
  readonly value?: string;
}

/** What one pass over one text remembers, so that no part of it is read again for every word in it. */
export interface Scan {
  /** The text is a command for the shell. */
  readonly isCommand: boolean;
  /** By rule: up to where it has looked. */
  readonly readTo: Map<string, number>;
  /** Where secrets end that were found: what stands directly behind one does not go on with it. */
  readonly ends: Set<number>;
  /** The last value without quotes that was read: where it began and how far it goes. */
  plain: { readonly start: number; readonly end: number; readonly isOver: boolean };
  /** Keys one in the value of the other, none of them of a secret: how many, and up to where. */
  tried: { readonly count: number; readonly end: number };
}

/** Looks at one place of a text where a trigger word begins. Its work is bounded, wherever the place is. */
export type FindAt = (text: string, at: number, scan: Scan) => SecretSpan | readonly SecretSpan[] | undefined;

/** A word that must be there before anybody looks closer. At least three characters. */
export interface Trigger {
  readonly word: string;
  /** Letters count in any case. */
  readonly anyCase: boolean;
  readonly find: FindAt;
}
