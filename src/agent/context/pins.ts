import { cutMiddle, cutText } from "../../core/cut-text.ts";
import { callsOf, textOfParts } from "../../core/message.ts";
import type { Pin, SessionEntry } from "../../core/session.ts";
import { filesOfCall } from "./call-files.ts";
import { findConstraints, findDecisions, findDone, findOpen, startsTask } from "./find-sentences.ts";

/**
 * What a summary must not lose, found without a model, in the order in which it was said: what the person wants (their
 * first message and each that starts another task), what they demand, the files that calls touched, every word of the
 * person, what is open, and what the model decided.
 */
export function extractPins(entries: readonly SessionEntry[], earlier: readonly Pin[]): readonly Pin[] {
  const pins = createPinList(earlier);
  for (const entry of entries) {
    if (entry.type === "user") addWords(pins, textOfParts(entry.parts), entry.parts.length);
    if (entry.type === "results") {
      for (const { text } of entry.results) {
        const answer = answered.exec(text)?.[1];
        if (answer !== undefined) pins.add("words", cutMiddle(answer, maxWords));
      }
    }
    if (entry.type !== "assistant") continue;
    const said = textOfParts(entry.parts);
    for (const decision of findDecisions(said)) pins.add("decision", decision);
    for (const open of findOpen(said)) pins.add("open", open);
    for (const done of findDone(said)) pins.remove("open", done);
    for (const file of callsOf(entry.parts).flatMap(filesOfCall)) pins.add("file", file);
  }
  return pins.list();
}

/** Generous: a message that is longer is mostly something that was pasted. */
const maxFirstGoal = 2_000;
const maxGoal = 600;
const maxWords = 1_000;
const maxConstraint = 500;
/** What `ask_user` gives: as much the person's word as a message. */
const answered = /^User (?:answered|selected): ([\s\S]+)$/;

interface PinList {
  add(kind: Pin["kind"], text: string): void;
  remove(kind: Pin["kind"], text: string): void;
  has(kind: Pin["kind"]): boolean;
  /** As a goal, a demand or words. */
  holds(text: string): boolean;
  list(): readonly Pin[];
}

function createPinList(earlier: readonly Pin[]): PinList {
  const pins = new Map<string, Pin>();
  const keyOf = (kind: Pin["kind"], text: string): string => `${kind}:${text.replaceAll(/\s+/g, " ").trim()}`;
  function add(kind: Pin["kind"], text: string): void {
    const key = keyOf(kind, text);
    // A file that is touched again is among the latest again; words stay where they were said first.
    if (kind === "file") pins.delete(key);
    if (!pins.has(key)) pins.set(key, { kind, text });
  }
  for (const { kind, text } of earlier) add(kind, text);
  return {
    add,
    remove: (kind, text) => void pins.delete(keyOf(kind, text)),
    has: (kind) => pins.values().some((pin) => pin.kind === kind),
    holds: (text) => (["goal", "constraint", "words"] as const).some((kind) => pins.has(keyOf(kind, text))),
    list: () => [...pins.values()],
  };
}

function addWords(pins: PinList, text: string, parts: number): void {
  const words = text.trim();
  if (words === "") {
    if (parts > 0) pins.add("words", "[an image without words]");
    return;
  }
  const constraints = findConstraints(words);
  const isFirst = !pins.has("goal");
  if (isFirst || startsTask(words)) pins.add("goal", cutMiddle(words, isFirst ? maxFirstGoal : maxGoal));
  // The first goal and a message that is one demand hold the words already.
  if (words.length > maxGoal ? !isFirst : !pins.holds(words) && !constraints.includes(words)) {
    pins.add("words", cutMiddle(words, maxWords));
  }
  for (const constraint of constraints) pins.add("constraint", cutText(constraint, maxConstraint));
  for (const open of findOpen(words)) pins.add("open", open);
}
