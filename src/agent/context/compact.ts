import { callsOf, type Message, textOfParts } from "../../core/message.ts";
import { addUsage, noUsage, type Model, type ToolOffer, type Usage } from "../../core/model.ts";
import type { Conversation, Pin, SessionEntry, SessionEntryBody } from "../../core/session.ts";
import { assembleConversation } from "../session/assemble-conversation.ts";
import { estimateMessage, estimateOffers, estimateTokens } from "./estimate-tokens.ts";
import { extractPins, fitPins } from "./pins.ts";
import { digestEntries, renderEntry } from "./render-history.ts";
import { summarize } from "./summarize.ts";

export type CompactionBody = Extract<SessionEntryBody, { type: "compaction" }>;

export interface CompactionTask {
  /** The branch of the session. */
  readonly entries: readonly SessionEntry[];
  readonly model: Model;
  /** What every request of the conversation carries. */
  readonly request: { readonly system: string; readonly tools: readonly ToolOffer[]; readonly conversationId: string };
  /** The window that it must fit. */
  readonly maxTokens: number;
  /** About how much of the latest turns stays as it is; less where the window is small. */
  readonly keepTokens: number;
  /** How many tokens of the provider one estimated token is, as the meter found. */
  readonly rate?: number;
  /** The person asked for it: all that is older than the last turn goes, however short it is. */
  readonly isWished?: boolean;
  /** What the person asked to keep above all. */
  readonly focus?: string;
  readonly signal: AbortSignal;
}

/**
 * - `compacted`: append the body. `writtenBy` says whether the model's summary was usable; if not, `problems` says why.
 * - `kept`: nothing was changed, because there is nothing to gain; `reason` says it in one sentence.
 * - `cancelled`: the signal fired; nothing was changed.
 */
export type CompactionOutcome =
  | {
      readonly state: "compacted";
      readonly body: CompactionBody;
      readonly writtenBy: "model" | "digest";
      readonly problems: readonly string[];
      /** Messages that the summary stands for. */
      readonly messages: number;
      readonly usage: Usage;
    }
  | { readonly state: "kept"; readonly reason: string; readonly usage: Usage }
  | { readonly state: "cancelled"; readonly usage: Usage };

/** Makes the old part of a conversation a summary with pins. Never loses anything: the entries stay where they are. */
export async function compactConversation(task: CompactionTask): Promise<CompactionOutcome> {
  const plan = makePlan(task);
  if (plan === null) {
    const reason = "There is nothing to compact: all of the conversation is among its latest turns.";
    return { state: "kept", reason, usage: noUsage };
  }
  const written = await writeSummary(task, plan);
  if (written.state === "cancelled") return written;
  const { usage } = written;
  const problems = [...written.problems];
  if (written.text !== null) {
    const body = toBody(task, plan, written.text);
    const found = checkBody(task, plan, body);
    if (found.length === 0) return compacted(plan, { body, writtenBy: "model", problems, usage });
    problems.push(...found);
  }
  for (const maxTokens of [plan.maxSummaryTokens, Math.floor(plan.maxSummaryTokens / 4), leastDigest]) {
    const body = toBody(task, plan, digestEntries(plan.covered, plan.earlierSummary, maxTokens));
    const found = checkBody(task, plan, body);
    if (found.length === 0) return compacted(plan, { body, writtenBy: "digest", problems, usage });
    if (maxTokens === leastDigest) problems.push(...found);
  }
  return { state: "kept", reason: `The conversation was left as it is: ${problems.at(-1)}.`, usage };
}

/** Whether there is an old part that could be compacted. */
export function hasOldPart(task: CompactionTask): boolean {
  return makePlan(task) !== null;
}

const leastDigest = 60;
/** Enough of the old part to tell whether a summary is about it. */
const mostCompared = 400_000;

interface Plan {
  readonly conversation: Conversation;
  readonly firstKept: number;
  readonly firstKeptId: string | null;
  /** Entries that are covered now and were not before. */
  readonly covered: readonly SessionEntry[];
  readonly coveredText: string;
  readonly earlierSummary: string | null;
  readonly pins: readonly Pin[];
  readonly maxSummaryTokens: number;
}

function makePlan(task: CompactionTask): Plan | null {
  const { entries } = task;
  const conversation = assembleConversation(entries);
  const room = Math.max(0, task.maxTokens / rateOf(task) - fixedTokens(task));
  const fitting = chooseKept(conversation, Math.min(task.keepTokens, room / 3));
  const firstKept = task.isWished === true ? Math.max(fitting, startOfLastTurn(conversation)) : fitting;
  const earlier = findStandingCompaction(entries);
  const firstKeptId = conversation.entryIds[firstKept] ?? null;
  const start = earlier?.firstKept ?? 0;
  const end = firstKeptId === null ? entries.length : entries.findIndex(({ id }) => id === firstKeptId);
  const covered = entries.slice(start, end);
  if (!covered.some(({ type }) => type === "user" || type === "assistant")) return null;
  return {
    conversation,
    firstKept,
    firstKeptId,
    covered,
    coveredText: covered
      .flatMap((entry) => renderEntry(entry, 2_000) ?? [])
      .join("\n")
      .slice(-mostCompared),
    earlierSummary: earlier?.compaction.summary ?? null,
    pins: fitPins(extractPins(covered, earlier?.compaction.pins ?? []), Math.min(8_000, Math.floor(room / 8))),
    maxSummaryTokens: Math.min(4_000, Math.max(200, Math.floor(room / 16))),
  };
}

type Written =
  | {
      readonly state: "written";
      readonly text: string | null;
      readonly problems: readonly string[];
      readonly usage: Usage;
    }
  | { readonly state: "cancelled"; readonly usage: Usage };

/** Asks twice at most; the second time with what was wrong. */
async function writeSummary(task: CompactionTask, plan: Plan): Promise<Written> {
  let usage = noUsage;
  let problems: readonly string[] = [];
  for (let attempt = 1; attempt <= 2; attempt++) {
    const summary = await summarize({
      entries: plan.covered,
      earlierSummary: plan.earlierSummary,
      model: task.model,
      conversationId: task.request.conversationId,
      windowTokens: Math.min(task.maxTokens, task.model.limits.contextTokens ?? task.maxTokens) / rateOf(task),
      maxSummaryTokens: plan.maxSummaryTokens,
      focus: task.focus ?? null,
      problems,
      signal: task.signal,
    });
    usage = addUsage(usage, summary.usage);
    if (summary.state === "cancelled") return { state: "cancelled", usage };
    if (summary.state === "failed") return { state: "written", text: null, problems: [summary.reason], usage };
    problems = checkSummary(summary.text, { covered: plan.coveredText, maxTokens: plan.maxSummaryTokens * 2 });
    if (problems.length === 0) return { state: "written", text: summary.text, problems, usage };
  }
  return { state: "written", text: null, problems, usage };
}

function toBody(task: CompactionTask, plan: Plan, summary: string): CompactionBody {
  const fixed = fixedTokens(task);
  const tokensOf = ({ messages }: Conversation): number =>
    Math.round(messages.reduce((sum, message) => sum + estimateMessage(message), fixed) * rateOf(task));
  const body: CompactionBody = {
    type: "compaction",
    summary,
    pins: plan.pins,
    firstKeptId: plan.firstKeptId,
    tokensBefore: tokensOf(plan.conversation),
    tokensAfter: 0,
  };
  return { ...body, tokensAfter: tokensOf(assembleWith(task, body)) };
}

function fixedTokens({ request }: CompactionTask): number {
  return estimateTokens(request.system) + estimateOffers(request.tools);
}

function rateOf({ rate }: CompactionTask): number {
  return rate ?? 1;
}

function checkBody(task: CompactionTask, plan: Plan, body: CompactionBody): readonly string[] {
  const { messages } = assembleWith(task, body);
  return checkCompaction({ before: plan.conversation.messages, after: messages, pins: plan.pins });
}

/** As it would be once the body is appended. */
function assembleWith({ entries }: CompactionTask, body: CompactionBody): Conversation {
  const entry: SessionEntry = { ...body, v: 1, id: "not yet", parentId: entries.at(-1)?.id ?? null, at: 0 };
  return assembleConversation([...entries, entry]);
}

function compacted(
  plan: Plan,
  done: Pick<Extract<CompactionOutcome, { state: "compacted" }>, "body" | "writtenBy" | "problems" | "usage">,
): CompactionOutcome {
  return { state: "compacted", ...done, messages: plan.firstKept };
}

/**
 * Where the part begins that a compaction leaves as it is: the index of its first message, or the number of messages when
 * none stays. Whole turns where they fit; a turn too long for that is cut where the model began a reply, so that a call
 * and its result are never parted.
 */
function chooseKept({ messages }: Conversation, keepTokens: number): number {
  const sizes = messages.map(estimateMessage);
  const fits = (from: number): boolean => sumFrom(sizes, from) <= keepTokens;
  const turn = messages.findIndex((message, at) => message.role === "user" && fits(at));
  const reply = messages.findIndex((message, at) => message.role !== "tool" && fits(at));
  // A short last turn behind a long one would leave the model without what it just did.
  if (turn !== -1 && (turn === reply || sumFrom(sizes, turn) >= keepTokens / 4)) return turn;
  if (reply !== -1) return reply;
  return isUnanswered(messages) && sumFrom(sizes, messages.length - 1) <= keepTokens * 3
    ? messages.length - 1
    : messages.length;
}

/** Where the last turn begins, with what the person said in it. */
function startOfLastTurn({ messages }: Conversation): number {
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "user"),
  );
}

/** The person waits for an answer to exactly these words. */
function isUnanswered(messages: readonly Message[]): boolean {
  return messages.at(-1)?.role === "user";
}

function sumFrom(sizes: readonly number[], from: number): number {
  let sum = 0;
  for (let at = from; at < sizes.length; at++) sum += sizes[at]!;
  return sum;
}

/** What is wrong with a summary; nothing when it can be used. */
export function checkSummary(
  summary: string,
  { covered, maxTokens }: { readonly covered: string; readonly maxTokens: number },
): readonly string[] {
  const text = summary.trim();
  if (text === "") return ["it was empty"];
  const tokens = estimateTokens(text);
  if (tokens > maxTokens) return [`it had about ${tokens} tokens where at most ${maxTokens} are wanted`];
  const least = Math.min(shortestSummary, Math.floor(covered.length / 10));
  if (text.length < least) return [`it had only ${text.length} characters for a conversation of ${covered.length}`];
  const words = wordsOf(text);
  const distinct = new Set(words);
  if (words.length > 60 && distinct.size < words.length / 8) return ["it repeats itself"];
  const known = new Set(wordsOf(covered));
  const inCommon = known.intersection(distinct).size;
  const wanted = Math.min(fewestInCommon, Math.ceil(known.size / 5));
  return inCommon < wanted ? ["it has nothing in common with the conversation"] : [];
}

const shortestSummary = 120;
const fewestInCommon = 4;

/** Words of four letters and more, and pairs of characters in scripts without gaps. */
function wordsOf(text: string): string[] {
  const lowered = text.toLowerCase();
  const words = lowered.match(/[\p{L}\p{N}_]{4,}/gu) ?? [];
  const pairs = lowered.match(/[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]{2}/gu) ?? [];
  return [...words, ...pairs];
}

/** What is wrong with a compacted conversation as the model would get it; nothing when it can be used. */
export function checkCompaction(options: {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly pins: readonly Pin[];
}): readonly string[] {
  const { before, after, pins } = options;
  const problems = [...checkConversation(after)];
  const first = after[0];
  const text = first?.role === "user" ? textOfParts(first.parts) : "";
  const missing = pins.filter((pin) => !text.includes(pin.text));
  if (missing.length > 0) problems.push(`${missing.length} of ${pins.length} pins are missing`);
  const [tokensBefore, tokensAfter] = [before, after].map((messages) =>
    messages.reduce((sum, message) => sum + estimateMessage(message), 0),
  ) as [number, number];
  if (tokensAfter >= tokensBefore) problems.push(`it would take ${tokensAfter} tokens instead of ${tokensBefore}`);
  return problems;
}

/** The rules that every provider has: it begins with the user, and every call is answered right behind it. */
function checkConversation(messages: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  if (messages[0]?.role !== "user") problems.push("it does not begin with the user");
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1];
    if (message.role === "tool") {
      const asked = before?.role === "assistant" ? callsOf(before.parts).map(({ callId }) => callId) : [];
      const answered = message.results.map(({ callId }) => callId);
      if (asked.join() !== answered.join()) problems.push("results stand without their calls");
    } else if (before?.role === "assistant" && callsOf(before.parts).length > 0) {
      problems.push("calls stand without their results");
    } else if (before?.role === message.role) problems.push(`two messages of the ${message.role} follow each other`);
  }
  const last = messages.at(-1);
  if (last?.role === "assistant" && callsOf(last.parts).length > 0) problems.push("calls stand without their results");
  return [...new Set(problems)];
}

type Compaction = Extract<SessionEntry, { type: "compaction" }>;

/** The last compaction that was not taken back, and where the part begins that it left as it is. */
export function findStandingCompaction(
  branch: readonly SessionEntry[],
): { readonly compaction: Compaction; readonly firstKept: number } | null {
  const undone = new Set(branch.flatMap((entry) => (entry.type === "compaction_undone" ? [entry.compactionId] : [])));
  const at = branch.findLastIndex((entry) => entry.type === "compaction" && !undone.has(entry.id));
  const compaction = branch[at];
  if (compaction?.type !== "compaction") return null;
  const kept = branch.findIndex(({ id }) => id === compaction.firstKeptId);
  return { compaction, firstKept: kept === -1 ? at : kept };
}

/** The body of the entry that takes the last compaction back; null when none stands. */
export function undoCompaction(
  branch: readonly SessionEntry[],
): Extract<SessionEntryBody, { type: "compaction_undone" }> | null {
  const standing = findStandingCompaction(branch);
  return standing && { type: "compaction_undone", compactionId: standing.compaction.id };
}
