import { callsOf, textOfParts } from "../../core/message.ts";
import type { Pin, SessionEntry } from "../../core/session.ts";
import { clipText, cutMiddle, cutText } from "../../core/text.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { filesOfCall } from "./render-history.ts";

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

/** Demands of the person: what must, must not, or shall always be so. English and Korean. */
function findConstraints(text: string): readonly string[] {
  return sentencesOf(text)
    .filter((sentence) => constraint.test(sentence) || koreanConstraint.test(sentence))
    .slice(0, mostOfOneMessage);
}

/** What the model says it settled. */
function findDecisions(text: string): readonly string[] {
  return sentencesOf(text)
    .filter((sentence) => decision.test(sentence) || koreanDecision.test(sentence))
    .map((sentence) => clipText(sentence, maxSentence))
    .slice(0, mostOfOneMessage);
}

/** Questions, and lines of a list of things to do that are not ticked. */
function findOpen(text: string): readonly string[] {
  const todo = linesOf(text).flatMap((line) => toDo.exec(line)?.[1]?.trim() ?? []);
  const questions = sentencesOf(text).filter((sentence) => /[?？]$/.test(sentence) && sentence.length > 8);
  return [...todo, ...questions].map((found) => clipText(found, maxSentence)).slice(0, mostOfOneMessage);
}

/** The ticked lines of a list. */
function findDone(text: string): readonly string[] {
  return linesOf(text).flatMap((line) => {
    const done = doneLine.exec(line)?.[1];
    return done === undefined ? [] : [clipText(done.trim(), maxSentence)];
  });
}

/** Does a later message ask for something new, and not just answer, agree or add to what is under way? */
function startsTask(text: string): boolean {
  const first = text.trimStart().slice(0, 200);
  return newTask.test(first) || taskVerb.test(first) || koreanTask.test(text.trimEnd().split("\n", 1)[0] ?? "");
}

/** So that one message that demands on every line (a pasted guideline) can't fill the pins, which never yield. */
const mostOfOneMessage = 20;
const maxSentence = 300;
/** What stands further inside a message was pasted, not written. */
const readFromStart = 6_000;
const readFromEnd = 2_000;

const constraint =
  /\b(?:must|mustn['’]t|never|always|do not|don['’]t|does not need|only|keep|no longer|use|avoid|without|except|required?|ensure|make sure|instead of|prefer|at most|at least|not allowed|forbidden|leave)\b/i;
const koreanConstraint =
  /반드시|절대|하지\s?(?:마|말)|지\s?(?:마|말)(?:세요|라|고|아|$|[.!])|항상|꼭|금지|유지|만 (?:사용|써|쓰)|안 (?:돼|된다|됩니다)/;
const decision =
  /\b(?:decided|decision|we(?:'ll| will| should)? (?:use|go with)|I(?:'ll| will) (?:use|go with|keep)|(?:chose|chosen|choosing|settled on|agreed|opted)|going with|instead of|root cause|the (?:cause|reason) (?:is|was))\b/i;
const koreanDecision = /하기로 (?:했|결정)|결정했|선택했|원인은/;
const toDo =
  /^\s*(?:[-*]\s*\[ \]|(?:[-*]\s*)?(?:TODO|FIXME|Next|Remaining|Open|Still to do|할 일|남은 일)\s*:)\s*(\S.*)$/i;
const doneLine = /^\s*[-*]\s*\[[xX]\]\s*(\S.*)$/;
const newTask =
  /^(?:ok(?:ay)?[,.! ]+|great[,.! ]+|thanks?[,.! ]+|good[,.! ]+)?(?:now|next|then|new task|another|instead|also|please|let['’]s|can you|could you|i (?:want|need)|we need|your task)\b/i;
const taskVerb =
  /^(?:add|build|change|check|clean|convert|create|debug|delete|deploy|document|explain|extend|find|fix|generate|implement|improve|install|investigate|list|make|merge|migrate|move|optimi[sz]e|port|refactor|release|remove|rename|replace|review|rewrite|run|search|set up|show|split|test|translate|update|upgrade|write)\b/i;
const koreanTask = /(?:줘|주세요|주십시오|하자|합시다|해라|하세요|해요|해)[.!~]*$/;

function sentencesOf(text: string): string[] {
  return linesOf(text).flatMap((line) =>
    line
      .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "")
      .split(/(?<=[.!?。！？])\s+(?=\S)|(?<=[。！？])/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence !== ""),
  );
}

/** Without code and quotations: those are not what anyone demands or decides. */
function linesOf(text: string): string[] {
  const written =
    text.length <= readFromStart + readFromEnd ? text : `${text.slice(0, readFromStart)}\n${text.slice(-readFromEnd)}`;
  let isCode = false;
  return written.split("\n").filter((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return !isFence && !isCode && !/^\s*>/.test(line) && line.trim() !== "";
  });
}

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
