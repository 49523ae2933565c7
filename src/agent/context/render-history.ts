import { cutMiddle } from "../../core/text.ts";
import type { AssistantPart, UserPart } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";

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
