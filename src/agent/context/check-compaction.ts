import { callsOf, textOfParts, type Message } from "../../core/message.ts";
import type { Pin } from "../../core/session.ts";
import { estimateMessage } from "./estimate-message.ts";
import { estimateTokens } from "./estimate-tokens.ts";

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
