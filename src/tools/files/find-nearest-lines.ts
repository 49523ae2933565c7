import { plainKey } from "./describe-difference.ts";

/** Shorter lines (braces, blanks) say too little about where they are from. */
const shortestKey = 3;
const mostPlacesOfKey = 8;
const longestCompared = 500;

/** Where the lines most like the wanted ones begin (0-based); undefined when nothing is like them. */
export function findNearestLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  return byEqualLines(lines, wanted) ?? byLikeLine(lines, wanted);
}

/** Every line that is equal but for white space votes for a beginning, longer lines with more weight. */
function byEqualLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const keys = wanted.map(plainKey);
  const places = new Map<string, number[]>();
  keys.forEach((key, index) => {
    const known = places.get(key) ?? [];
    if (key.length >= shortestKey && known.length < mostPlacesOfKey) places.set(key, [...known, index]);
  });
  const votes = new Map<number, number>();
  lines.forEach((line, at) => {
    const key = plainKey(line);
    for (const index of places.get(key) ?? []) votes.set(at - index, (votes.get(at - index) ?? 0) + weight(key));
  });
  const all = keys.reduce((sum, key) => sum + weight(key), 0);
  const [start, votesForIt] = best(votes);
  return votesForIt * 2 >= all && all > 0 ? Math.max(start, 0) : undefined;
}

function weight(key: string): number {
  return key.length < shortestKey ? 0 : Math.min(key.length, 40);
}

function best(votes: ReadonlyMap<number, number>): [start: number, votes: number] {
  let winner: [number, number] = [0, 0];
  for (const [start, count] of votes) if (count > winner[1]) winner = [start, count];
  return winner;
}

/** The longest wanted line is the best clue: where is the line most like it? */
function byLikeLine(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const clue = wanted.reduce((longest, line, at) => (line.length > wanted[longest]!.length ? at : longest), 0);
  const pairs = pairsOf(plainKey(wanted[clue]!));
  const total = sum(pairs);
  if (total < 2) return undefined;
  let winner = -1;
  let likeness = 0.5;
  lines.forEach((line, at) => {
    const key = plainKey(line.slice(0, longestCompared));
    if (key.length < total / 3 || key.length > (total + 1) * 3) return;
    const score = (2 * shared(pairs, key)) / (total + key.length - 1);
    if (score > likeness) [winner, likeness] = [at, score];
  });
  return winner === -1 ? undefined : Math.max(winner - clue, 0);
}

function pairsOf(key: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const text = key.slice(0, longestCompared);
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** How many neighbouring pairs of characters both have. */
function shared(pairs: ReadonlyMap<string, number>, key: string): number {
  let count = 0;
  for (const [pair, times] of pairsOf(key)) count += Math.min(times, pairs.get(pair) ?? 0);
  return count;
}

function sum(pairs: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const times of pairs.values()) total += times;
  return total;
}
