// The agent as a library: a scripted model (no key, no network), the real tools, your own answers to what is asked.
// Needs `npm run build` once; then: node examples/agent.ts
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime } from "deckhand";
import { createScriptedModel } from "deckhand/testing";

const workdir = await mkdtemp(join(tmpdir(), "deckhand-example-"));
await writeFile(join(workdir, "prices.txt"), "tea 3\ncake 4\n");

// For a real model: `const { model } = await runtime.openModel("anthropic/claude-sonnet-5-5")`.
const model = createScriptedModel({
  turns: [
    { text: "I'll look.", calls: [{ tool: "read", input: { file_path: "prices.txt" } }] },
    { calls: [{ tool: "ask_user", input: { question: "Which tax?", options: ["7 %", "19 %"] } }] },
    { calls: [{ tool: "write", input: { file_path: "total.txt", content: "8.33\n" } }] },
    "I wrote `total.txt`, and I ran `npm test`.",
    { text: "Before, I asked you about the tax.", expect: { contains: "What did you ask" } },
  ],
});

const asked: string[] = [];
const runtime = await createRuntime({
  workdir,
  ask: (question) => {
    asked.push(question.text);
    return Promise.resolve({ answered: true, text: "19 %", selected: ["19 %"] });
  },
  approve: (request) => {
    asked.push(request.title);
    return Promise.resolve({ decision: "allow", scope: "once", who: "the example" });
  },
});

const agent = await runtime.openAgent({ model });
const unproven: string[] = [];
agent.on((event) => {
  if (event.type === "call:settled") console.log(`${event.tool}: ${event.state}`);
  if (event.type === "evidence:checked") unproven.push(...event.unmatched);
});
const end = await agent.send("Add up the prices with tax.");
console.log(`${end.state} after ${end.statistics.turns} turns: ${end.text}`);
await agent.close();

// A conversation is on disk: any later program goes on with it, by its id or as "latest".
const later = await runtime.openAgent({ model, session: agent.sessionId });
const answer = await later.send("What did you ask me?");
console.log(answer.text);
await later.close();
await runtime.close();
const total = await readFile(join(workdir, "total.txt"), "utf8");
await rm(workdir, { recursive: true });

assert.deepEqual([end.state, end.statistics.turns, end.statistics.calls], ["answered", 4, 3]);
assert.equal(total, "8.33\n");
assert.equal(asked[0], "Which tax?");
assert.equal(asked.length, 2);
assert.deepEqual(unproven, ["npm test"]);
assert.deepEqual([answer.state, answer.text], ["answered", "Before, I asked you about the tax."]);
