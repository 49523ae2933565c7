import { fence } from "../../core/fence.ts";
import type { Pin, SessionEntry } from "../../core/session.ts";

export type Compaction = Extract<SessionEntry, { type: "compaction" }>;

/** What stands for the part of a conversation that was compacted. */
export function renderSummary({ summary, pins }: Pick<Compaction, "summary" | "pins">): string {
  const sections = [
    "[The conversation up to here was replaced by this summary. What was done is done: go on from here.]",
    fence("summary", summary),
  ];
  if (pins.length > 0) sections.push(fence("pinned", pins.map(renderPin).join("\n"), { note: "kept word for word" }));
  return sections.join("\n\n");
}

function renderPin({ kind, text }: Pin): string {
  return `- ${kindNames[kind] ?? kind}: ${text}`;
}

const kindNames: Readonly<Record<string, string>> = {
  words: "the user's words",
  open: "still open",
};
