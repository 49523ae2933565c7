import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { SessionEntry } from "../../core/session.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import { listHistory, type HistoryItem } from "./render-history.ts";

/** What a compaction took out of the model's sight stays readable for it. */
export function createHistoryTool(readBranch: (conversationId: string) => readonly SessionEntry[]): Tool {
  return defineTool({
    name: "read_history",
    description:
      "Read this conversation's full history, also what a summary replaced. Entries are numbered from 1; without from, the latest are shown.",
    traits: { readOnly: true, risk: "low", category: "conversation", offeredIn: ["agent"] },
    timeoutMs: 10_000,
    input: z.object({
      from: z.number().int().min(1).optional().describe("First entry"),
      to: z.number().int().min(1).optional().describe("Last entry"),
      search: z.string().optional().describe("Only entries with this text"),
    }),
    resources: () => [],
    run(input, { conversationId }) {
      if (conversationId === undefined) return Promise.resolve(noConversation);
      return Promise.resolve(showHistory(listHistory(readBranch(conversationId), maxOfEntry), input));
    },
  });
}

const noConversation: ToolResult = {
  ok: false,
  error: "This call belongs to no conversation, so there is no history to read.",
  errorType: "not_found",
};

interface Wanted {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly search?: string | undefined;
}

/** Below what a model gets of one result, so that the end of the text and its note are not cut away. */
const maxCharacters = 9_000;
const maxOfEntry = 3_000;

function showHistory(all: readonly HistoryItem[], { from, to, search }: Wanted): ToolResult {
  if (from !== undefined && from > all.length) {
    const error = `The history has ${all.length} entries; from=${from} is past its end.`;
    return { ok: false, error, hint: "Use a smaller number.", errorType: "invalid_input" };
  }
  if (from !== undefined && to !== undefined && from > to) {
    const error = `from (${from}) must not be larger than to (${to}).`;
    return { ok: false, error, hint: "Swap them.", errorType: "invalid_input" };
  }
  const needle = search?.toLowerCase();
  const found = all.filter(
    ({ number, text }) =>
      number >= (from ?? 1) &&
      number <= (to ?? Infinity) &&
      (needle === undefined || text.toLowerCase().includes(needle)),
  );
  if (found.length === 0) {
    const what = search === undefined ? "No entries there" : `No entry has the text ${JSON.stringify(search)}`;
    return { ok: true, output: `${what}; the history has ${all.length} entries.` };
  }
  const fromEnd = from === undefined && to === undefined;
  const shown = take(fromEnd ? found.toReversed() : found);
  const ordered = fromEnd ? shown.toReversed() : shown;
  return { ok: true, output: [...ordered.map(({ text }) => text), ...tellRest(ordered, found, all.length)].join("\n") };
}

function take(items: readonly HistoryItem[]): readonly HistoryItem[] {
  let room = maxCharacters;
  return items.filter(({ text }, index) => {
    if (room <= 0) return false;
    room -= text.length + 1;
    if (index === 0 || room >= 0) return true;
    room = 0;
    return false;
  });
}

function tellRest(shown: readonly HistoryItem[], found: readonly HistoryItem[], total: number): string[] {
  const first = shown[0]!.number;
  const last = shown.at(-1)!.number;
  if (shown.length === found.length) return [`[Entries ${first}-${last} of ${total}.]`];
  const next = found.find(({ number }) => number > last);
  const how = next ? `Go on with from=${next.number}.` : `Earlier ones: from=${found[0]!.number}, to=${first - 1}.`;
  return [`[Entries ${first}-${last} of ${total}; ${found.length - shown.length} more fit. ${how}]`];
}
