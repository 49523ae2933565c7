import type { InboxEntry } from "../../../core/approval.ts";
import { toWire } from "../../../core/wire.ts";
import { describeApproval } from "../agent/approve-on-terminal.ts";
import type { Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { findInboxEntry } from "./find-inbox-entry.ts";
import { withRuntime } from "../../open-runtime.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand inbox show ID` */
export async function runInboxShow(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withRuntime(invocation, terminal, async (runtime) => {
    const entry = await findInboxEntry(runtime, invocation.positionals[0]!);
    if (invocation.has("json")) terminal.printJson(toWire(entry));
    else terminal.print(`${describeEntry(entry, terminal)}\n`);
    return exitCode.done;
  });
}

function describeEntry(entry: InboxEntry, terminal: Terminal): string {
  const { id, state, question, approval, executionId, settlement } = entry;
  const lines = [
    `${id} · ${state}${settlement?.who ? ` by ${neutralizeText(settlement.who)}` : ""} · call ${executionId}`,
  ];
  lines.push(...describeOrigin(entry));
  if (question) {
    lines.push(neutralizeText(question.text));
    for (const [index, option] of (question.options ?? []).entries()) {
      lines.push(`  ${index + 1}. ${neutralizeText(option)}`);
    }
    if (question.multiple) lines.push("  (several can be chosen)");
    if (question.other) lines.push("  (or a text of your own)");
  }
  if (approval) {
    lines.push(describeApproval(approval, { styleError: terminal.style }));
    if (approval.rules.length > 0) lines.push(`"always" would add: ${approval.rules.join(" ")}`);
  }
  if (state === "waiting")
    lines.push(
      question ? `Answer: deckhand inbox answer ${id} "…"` : `Decide: deckhand inbox approve ${id} | deny ${id}`,
    );
  return lines.join("\n");
}

function describeOrigin({ origin, conversationId }: InboxEntry): string[] {
  const facts = [
    origin?.jobName && `job ${origin.jobName}`,
    origin?.door && `door ${origin.door}`,
    origin?.toolName && `tool ${origin.toolName}`,
    conversationId && `conversation ${conversationId}`,
  ].filter(Boolean);
  return facts.length === 0 ? [] : [neutralizeText(`From ${facts.join(" · ")}`)];
}
