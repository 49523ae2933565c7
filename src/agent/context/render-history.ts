import { type AssistantPart, type CallPart, callsOf, textOfParts, type UserPart } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";
import { clipText, cutMiddle, cutText } from "../../core/text.ts";
import { estimateTokens } from "./estimate-tokens.ts";

export interface HistoryItem {
  readonly number: number;
  readonly text: string;
}

/**
 * What was said and done, as text: the whole history, also what a compaction took out of the model's sight. Each entry with
 * its number, long texts cut at `maxCharacters`. What says nothing to a reader is left out.
 */
export function listHistory(branch: readonly SessionEntry[], maxCharacters: number): readonly HistoryItem[] {
  const texts = branch.flatMap((entry) => renderEntry(entry, maxCharacters) ?? []);
  return texts.map((text, index) => ({ number: index + 1, text: `[${index + 1}] ${text}` }));
}

/** Null for an entry that is about the session, not about the conversation. */
export function renderEntry(entry: SessionEntry, maxCharacters: number): string | null {
  const cut = (text: string): string =>
    text.length <= maxCharacters ? text : cutMiddle(text, Math.max(100, maxCharacters));
  switch (entry.type) {
    case "user":
      return `user: ${renderParts(entry.parts, cut)}`;
    case "assistant":
      return entry.parts.length === 0 ? null : `assistant: ${renderParts(entry.parts, cut)}`;
    case "results":
      return entry.results
        .map(({ tool, text, isError }) => `${isError ? "failed " : ""}result of ${tool}: ${cut(text)}`)
        .join("\n");
    case "remark":
      return `note: ${cut(entry.text)}`;
    case "compaction":
      return `summary of all before: ${cut(entry.summary)}`;
    case "compaction_undone":
      return "note: the last summary was taken back";
    case "undone":
      if (entry.files.length === 0) return null;
      return `note: the person put these files back to what they were: ${entry.files.join(", ")}`;
    case "session":
    case "ended":
    case "call":
    case "tools":
    case "model":
    case "evidence":
      return null;
  }
}

function renderParts(parts: readonly (UserPart | AssistantPart)[], cut: (text: string) => string): string {
  const lines = parts.flatMap((part) => {
    if (part.type === "text") return [cut(part.text)];
    if (part.type === "call") return [`call ${part.tool} ${cut(part.inputText)}`];
    return part.type === "image" ? ["[an image]"] : [];
  });
  return lines.join("\n");
}

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

/** The files that a call names: the paths of its input, and what looks like a path in a command. */
export function filesOfCall({ inputText }: CallPart): readonly string[] {
  let input: unknown;
  try {
    input = JSON.parse(inputText);
  } catch {
    // Arguments that are not JSON never ran.
    return [];
  }
  const files = new Set<string>();
  collect(input, files, 0);
  return [...files].slice(0, mostFiles);
}

const mostFiles = 20;
const deepest = 4;
const maxPath = 300;

/** Also inside the call of a bridge, whose input holds another tool's. */
function collect(value: unknown, files: Set<string>, depth: number): void {
  if (typeof value !== "object" || value === null || depth > deepest) return;
  for (const [key, held] of Object.entries(value)) {
    if (typeof held !== "string") collect(held, files, depth + 1);
    else if (pathKey.test(key)) addPath(held, files);
    else if (commandKey.test(key))
      for (const path of held.slice(0, 4_000).match(pathInCommand) ?? []) addPath(path, files);
  }
}

function addPath(path: string, files: Set<string>): void {
  if (path !== "" && path !== "." && path.length <= maxPath) files.add(path);
}

const pathKey = /^(?:file_?path|path|file|filename|notebook_path|target|source|destination)$/i;
const commandKey = /^(?:command|cmd|script|code)$/i;
/** With a folder or an extension; not a flag, an address or a version. */
const pathInCommand =
  /(?<![\w:/.@$-])(?:~\/|\.{0,2}\/)?(?:[\w.@+-]+\/)+[\w.@+-]*[\w]|(?<![\w:/.@$-])[\w@+][\w@+-]*\.(?:[cm]?[jt]sx?|json[cl]?|md|txt|py|rs|go|java|kt|rb|php|c|h|cc|cpp|hpp|cs|sh|ya?ml|toml|ini|cfg|conf|env|html?|s?css|sql|xml|csv|lock|log|swift|vue|svelte|proto|graphql|gradle|tf)(?![\w/])/g;

/** 12345 as 12,345. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}
