import { cutMiddle } from "../../core/text.ts";
import type { Pin } from "../../core/session.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/**
 * The pins that fit the budget, in their order. What yields, first to last: decisions, then what is open (both the oldest
 * first), files (the longest untouched first), words (shortened, then the newest first). The first goal, the latest tasks
 * and all constraints stay, whatever they take; too long ones are shortened at worst. Earlier tasks become words.
 */
export function fitPins(given: readonly Pin[], maxTokens: number): readonly Pin[] {
  let pins = keepLatestTasks(given);
  for (const { kind, from } of yielding) {
    const excess = tokensOf(pins) - maxTokens;
    if (excess <= 0) return pins;
    if (kind === "words") pins = shorten(pins, ["words"]);
    pins = drop(pins, { kind, from, excess: tokensOf(pins) - maxTokens });
  }
  return tokensOf(pins) <= maxTokens ? pins : shorten(pins, ["goal", "constraint"]);
}

const yielding = [
  { kind: "decision", from: "oldest" },
  { kind: "open", from: "oldest" },
  { kind: "file", from: "oldest" },
  { kind: "words", from: "newest" },
] as const;

const tasksKept = 8;
const shortLength = 200;

/** A long conversation has many tasks; those that are done long ago need not be kept at any price. */
function keepLatestTasks(pins: readonly Pin[]): readonly Pin[] {
  const goals = pins.filter(({ kind }) => kind === "goal");
  const earlier = new Set(goals.slice(1, -tasksKept));
  return earlier.size === 0 ? pins : pins.map((pin) => (earlier.has(pin) ? { ...pin, kind: "words" } : pin));
}

function shorten(pins: readonly Pin[], kinds: readonly Pin["kind"][]): readonly Pin[] {
  return pins.map((pin) => (kinds.includes(pin.kind) ? { ...pin, text: cutMiddle(pin.text, shortLength) } : pin));
}

function drop(
  pins: readonly Pin[],
  what: { readonly kind: Pin["kind"]; readonly from: "oldest" | "newest"; readonly excess: number },
): readonly Pin[] {
  const ofKind = pins.filter(({ kind }) => kind === what.kind);
  const dropped = new Set<Pin>();
  let left = what.excess;
  for (const pin of what.from === "oldest" ? ofKind : ofKind.toReversed()) {
    if (left <= 0) break;
    dropped.add(pin);
    left -= tokensOfPin(pin);
  }
  return pins.filter((pin) => !dropped.has(pin));
}

function tokensOf(pins: readonly Pin[]): number {
  return pins.reduce((sum, pin) => sum + tokensOfPin(pin), 0);
}

/** With its mark and its line. */
function tokensOfPin({ text }: Pin): number {
  return 4 + estimateTokens(text);
}
