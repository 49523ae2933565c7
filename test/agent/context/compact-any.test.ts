import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compactConversation, undoCompaction } from "../../../src/agent/context/compact.ts";
import { assembleConversation } from "../../../src/agent/session/assemble-conversation.ts";
import { callsOf, textOfParts } from "../../../src/core/message.ts";
import { count } from "../../support/counts.ts";
import { answeringModel, Branch } from "./branch.ts";

const step = fc.oneof(
  fc.record({ kind: fc.constant("user" as const), size: fc.nat(400), text: fc.string() }),
  fc.record({ kind: fc.constant("says" as const), size: fc.nat(400), text: fc.string() }),
  fc.record({ kind: fc.constant("does" as const), size: fc.nat(400), text: fc.string() }),
  fc.record({ kind: fc.constant("remark" as const), size: fc.nat(20), text: fc.string() }),
  fc.record({ kind: fc.constant("compact" as const), size: fc.nat(3_000), text: fc.lorem({ maxCount: 60 }) }),
  fc.record({ kind: fc.constant("undo" as const), size: fc.constant(0), text: fc.constant("") }),
);

let compactions = 0;

test("whatever was said, a compaction is valid, smaller, holds its pins, and undo gives the same bytes [L6]", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: "max" }), async (steps) => {
      const branch = new Branch();
      for (const { kind, size, text } of steps) {
        const long = `${text} ${"must keep the word ".repeat(size)}`;
        if (kind === "user") branch.user(long);
        else if (kind === "says") branch.says(text === "" ? "" : long);
        else if (kind === "remark") branch.append({ type: "remark", text: long });
        else if (kind === "does") branch.does([{ tool: "read", input: { path: text }, result: long }], text);
        else if (kind === "compact") await compactAndCheck(branch, { keepTokens: size, summary: text });
        else {
          const undo = undoCompaction(branch.entries);
          if (undo) branch.append(undo);
        }
      }
    }),
    { numRuns: count({ quick: 40, full: 1_000 }) },
  );
  assert.ok(compactions >= 20, `only ${compactions} compactions were made`);
});

async function compactAndCheck(
  branch: Branch,
  { keepTokens, summary }: { readonly keepTokens: number; readonly summary: string },
): Promise<void> {
  const before = JSON.stringify(assembleConversation(branch.entries));
  const outcome = await compactConversation({
    entries: branch.entries,
    model: answeringModel(() => summary),
    request: { system: "You help.", tools: [], conversationId: "ses_1" },
    maxTokens: 20_000,
    keepTokens,
    signal: new AbortController().signal,
  });
  if (outcome.state !== "compacted") {
    assert.equal(outcome.state, "kept");
    assert.equal(JSON.stringify(assembleConversation(branch.entries)), before);
    return;
  }
  compactions += 1;
  assert.ok(outcome.body.tokensAfter < outcome.body.tokensBefore);
  branch.append(outcome.body);
  const { messages } = assembleConversation(branch.entries);
  const [first] = messages;
  const text = first?.role === "user" ? textOfParts(first.parts) : "";
  for (const pin of outcome.body.pins) assert.ok(text.includes(pin.text));
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant" || callsOf(message.parts).length === 0) continue;
    assert.equal(messages[at + 1]?.role, "tool");
  }
  const undone = [...branch.entries];
  const undo = undoCompaction(undone)!;
  undone.push({ ...undo, v: 1, id: "undo", parentId: undone.at(-1)!.id, at: 0 });
  assert.equal(JSON.stringify(assembleConversation(undone)), before);
}
