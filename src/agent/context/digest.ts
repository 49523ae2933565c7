import { clipText, cutText } from "../../core/text.ts";
import { callsOf, textOfParts } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";
import { filesOfCall } from "./call-files.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** A summary without a model: what was asked, which tools were used on what, what was answered. The latest turns are fullest. */
export function digestEntries(entries: readonly SessionEntry[], earlier: string | null, maxTokens: number): string {
  const turns = splitIntoTurns(entries).map(describeTurn);
  const title = "Digest of the earlier conversation (made without a model; read_history shows all of it).";
  const before = earlier === null ? [] : [`Before that: ${cutText(earlier, Math.max(200, maxTokens))}`];
  let tokens = estimateTokens([title, ...before].join("\n"));
  const shown: string[] = [];
  for (const turn of turns.toReversed()) {
    const short = clipText(turn, 160);
    const line = tokens + estimateTokens(turn) <= maxTokens ? turn : short;
    tokens += estimateTokens(line);
    if (tokens > maxTokens && shown.length > 0) break;
    shown.unshift(line);
  }
  const left = turns.length - shown.length;
  const gap = left === 0 ? [] : [`(${left} earlier turns are left out here.)`];
  return [title, ...before, ...gap, ...shown].join("\n");
}

function splitIntoTurns(entries: readonly SessionEntry[]): readonly (readonly SessionEntry[])[] {
  const turns: SessionEntry[][] = [];
  for (const entry of entries) {
    if (entry.type === "user" || turns.length === 0) turns.push([]);
    turns.at(-1)!.push(entry);
  }
  return turns.filter((turn) => turn.some(({ type }) => type === "user" || type === "assistant"));
}

function describeTurn(turn: readonly SessionEntry[]): string {
  const lines: string[] = [];
  const tools = new Map<string, { count: number; files: Set<string> }>();
  let answer = "";
  let failed = 0;
  for (const entry of turn) {
    if (entry.type === "user") lines.push(`- Asked: ${oneLine(textOfParts(entry.parts), 300)}`);
    if (entry.type === "results") failed += entry.results.filter(({ isError }) => isError).length;
    if (entry.type !== "assistant") continue;
    answer = textOfParts(entry.parts).trim() || answer;
    for (const call of callsOf(entry.parts)) {
      const used = tools.get(call.tool) ?? { count: 0, files: new Set() };
      used.count += 1;
      for (const file of filesOfCall(call)) used.files.add(file);
      tools.set(call.tool, used);
    }
  }
  for (const [tool, { count, files }] of tools) {
    const on = files.size === 0 ? "" : ` on ${[...files].slice(0, 8).join(", ")}${files.size > 8 ? ", …" : ""}`;
    lines.push(`  ${tool} × ${count}${on}`);
  }
  if (failed > 0) lines.push(`  ${failed} of the calls failed`);
  if (answer !== "") lines.push(`  Answered: ${oneLine(answer, 400)}`);
  return lines.join("\n");
}

function oneLine(text: string, limit: number): string {
  return cutText(text.replaceAll(/\s+/g, " ").trim(), limit);
}
