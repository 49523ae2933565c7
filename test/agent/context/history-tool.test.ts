import assert from "node:assert/strict";
import { test } from "node:test";
import { createHistoryTool } from "../../../src/agent/context/history-tool.ts";
import type { ToolContext, ToolResult } from "../../../src/core/tool.ts";
import { Branch } from "./branch.ts";

test("the whole history stays readable after a compaction, by numbers and by text [L6]", async () => {
  const branch = new Branch()
    .user("The password file is vault.txt")
    .does([{ tool: "read", input: { file_path: "vault.txt" }, result: "Permission denied", isError: true }])
    .says("I may not read it.")
    .append({ type: "compaction", summary: "Nothing.", pins: [], firstKeptId: null, tokensBefore: 9, tokensAfter: 3 })
    .user("Go on");
  assert.equal(
    await outputOf(branch, {}),
    [
      "[1] user: The password file is vault.txt",
      '[2] assistant: call read {"file_path":"vault.txt"}',
      "[3] failed result of read: Permission denied",
      "[4] assistant: I may not read it.",
      "[5] summary of all before: Nothing.",
      "[6] user: Go on",
      "[Entries 1-6 of 6.]",
    ].join("\n"),
  );
  assert.equal(await outputOf(branch, { from: 4, to: 4 }), "[4] assistant: I may not read it.\n[Entries 4-4 of 6.]");
  assert.match(await outputOf(branch, { search: "DENIED" }), /^\[3\] failed result of read: Permission denied\n/);
  assert.equal(
    await outputOf(branch, { search: "unicorn" }),
    'No entry has the text "unicorn"; the history has 6 entries.',
  );
});

test("a long history comes in parts, each saying how to get the next, and all of it can be reached [L6]", async () => {
  const branch = new Branch();
  for (let turn = 1; turn <= 30; turn++) branch.user(`marker-${turn} ${"word ".repeat(200)}`).says("Yes.");
  const latest = await outputOf(branch, {});
  assert.match(latest, /marker-30/);
  assert.match(latest, /Earlier ones: from=1, to=\d+\.\]$/);
  const seen = new Set<string>();
  for (let from = 1; from <= 60;) {
    const output = await outputOf(branch, { from });
    assert.ok(output.length <= 10_000);
    for (const marker of output.match(/marker-\d+/g) ?? []) seen.add(marker);
    const next = /Go on with from=(\d+)/.exec(output)?.[1];
    if (next === undefined) break;
    from = Number(next);
  }
  assert.equal(seen.size, 30);
});

test("wrong ranges and a call outside a conversation get one clear sentence [L6]", async () => {
  const branch = new Branch().user("Hello").says("Hi.");
  assert.equal(await errorOf(branch, { from: 3 }), "The history has 2 entries; from=3 is past its end.");
  assert.equal(await errorOf(branch, { from: 2, to: 1 }), "from (2) must not be larger than to (1).");
  const alone = await createHistoryTool(() => branch.entries).run({}, {} as ToolContext);
  assert.equal(alone.ok ? "" : alone.error, "This call belongs to no conversation, so there is no history to read.");
  const tool = createHistoryTool(() => []);
  assert.deepEqual([tool.traits.readOnly, tool.traits.risk, tool.traits.offeredIn], [true, "low", ["agent"]]);
  assert.equal(tool.check({ from: 0 }).ok, false);
});

function run(branch: Branch, input: unknown): Promise<ToolResult> {
  const tool = createHistoryTool((id) => (id === "ses_1" ? branch.entries : []));
  return tool.run(input, { conversationId: "ses_1" } as ToolContext);
}

async function outputOf(branch: Branch, input: unknown): Promise<string> {
  const result = await run(branch, input);
  assert.ok(result.ok, "it gives an output");
  return result.output ?? "";
}

async function errorOf(branch: Branch, input: unknown): Promise<string> {
  const result = await run(branch, input);
  return result.ok ? "" : result.error;
}
