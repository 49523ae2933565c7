import type { InboxEntry } from "../../../core/approval.ts";
import { toWire } from "../../../core/wire.ts";
import type { Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { formatAge } from "../../../core/time.ts";
import { withRuntime } from "../../open-runtime.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand inbox [list]` */
export async function runInboxList(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withRuntime(invocation, terminal, async ({ inbox }) => {
    const entries = await inbox.list(invocation.has("all") ? {} : { states: ["waiting"] });
    // Some of them may just have been found abandoned.
    const shown = invocation.has("all") ? entries : entries.filter(({ state }) => state === "waiting");
    if (invocation.has("json")) terminal.printJson(shown.map(toWire));
    else if (shown.length > 0) terminal.print(renderEntries(shown, terminal));
    else terminal.tell("Nothing waits for an answer here.");
    return exitCode.done;
  });
}

function renderEntries(entries: readonly InboxEntry[], terminal: Terminal): string {
  const now = Date.now();
  return renderTable({
    columns: [
      { title: "ID" },
      { title: "KIND" },
      { title: "STATE" },
      { title: "AGE", align: "right" },
      { title: "FROM" },
      { title: "WHAT" },
    ],
    rows: entries.map((entry) => [
      entry.id,
      entry.approval?.isDanger ? "danger" : entry.kind,
      entry.state,
      formatAge(now - entry.createdAt),
      nameOrigin(entry),
      summarize(entry),
    ]),
    width: terminal.width,
    style: (cell, column) => (column === 1 && cell === "danger" ? terminal.style("red", cell) : cell),
  });
}

/** `job nightly`, or the way that the call came in, with the end of its conversation. */
function nameOrigin({ origin, conversationId }: InboxEntry): string {
  if (origin?.jobName) return `job ${origin.jobName}`;
  const conversation = conversationId === null ? null : `…${conversationId.slice(-6)}`;
  return [origin?.door, conversation].filter(Boolean).join(" ") || "-";
}

function summarize({ question, approval }: InboxEntry): string {
  if (question) return question.text;
  return [approval?.title, approval?.detail].filter(Boolean).join(": ");
}
