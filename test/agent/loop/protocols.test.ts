import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Message } from "../../../src/core/message.ts";
import type { Model } from "../../../src/core/model.ts";
import type { Script } from "../../../packages/testing/src/script.ts";
import { createScriptedModel } from "../../../packages/testing/src/create-scripted-model.ts";
import { serveScript, type ScriptServer } from "../../../packages/testing/src/serve-script.ts";
import { openTestModel } from "../../models/support/open-test-model.ts";
import { afterTest } from "../../support/after-test.ts";
import { openTestAgent } from "../../support/agent.ts";
import { assertValidConversation } from "../../support/valid-conversation.ts";

const script: Script = {
  turns: [
    {
      thinking: "Two files, and where alpha is.",
      text: "Looking.",
      calls: [
        { tool: "read", input: { file_path: "a.txt" } },
        { tool: "Read_File", input: { file_path: "b.txt" } },
        { tool: "grep", input: { pattern: "alpha", path: "a.txt" } },
      ],
    },
    { calls: [{ tool: "edit", input: { file_path: "a.txt", old_string: "alpha", new_string: "gamma" } }] },
    {
      text: "Now what fails.",
      calls: [
        { tool: "bash", input: { command: "cat a.txt missing.txt" } },
        { tool: "frobnicate", input: { hard: true } },
        { tool: "read", inputText: "{}" },
      ],
    },
    { thinking: "All seen.", text: "a.txt says gamma now." },
    "You are welcome.",
  ],
};

test("the same conversation through every protocol gives the same calls, results and texts [L3 P5]", async (t) => {
  const own = await converse(t, createScriptedModel(script));
  assert.deepEqual(own.states, [
    ["read", "completed"],
    ["read", "completed"],
    ["grep", "completed"],
    ["edit", "completed"],
    ["bash", "failed"],
    ["frobnicate", "failed"],
    ["read", "failed"],
  ]);
  assert.deepEqual(own.content, "gamma\n");
  assert.deepEqual(own.answers, ["a.txt says gamma now.", "You are welcome."]);
  for (const protocol of ["anthropic", "openai", "google"] as const) {
    const server = await serve(t);
    const through = await converse(t, await openTestModel(protocol, server.url));
    assert.deepEqual(through, own, protocol);
    assert.equal(server.requests.length, 5);
    const sent = server.requests.at(-1)!.messages.map(plain).map(withoutErrors);
    const expected = own.conversation.slice(0, -1).map(withoutErrors);
    assert.deepEqual(sent, expected, `what the server of ${protocol} was sent last`);
  }
});

async function serve(t: TestContext): Promise<ScriptServer> {
  const server = await serveScript(script);
  afterTest(t, () => server.close());
  return server;
}

async function converse(t: TestContext, model: Model) {
  const { agent, home, events, messages } = await openTestAgent(t, {
    model,
    files: { "a.txt": "alpha\n", "b.txt": "beta\n" },
    runtime: { settings: { permissions: { mode: "accept-edits" } } },
  });
  const first = await agent.send("Change alpha to gamma.");
  const second = await agent.send("Thanks.");
  assert.deepEqual([first.state, second.state], ["answered", "answered"], `${first.reason} ${second.reason}`);
  assertValidConversation(messages());
  const settled = events.filter((event) => event.type === "call:settled");
  const order = events.flatMap((event) => (event.type === "call:added" ? [event.callId] : []));
  return {
    answers: [first.text, second.text],
    states: settled
      .toSorted((a, b) => order.indexOf(a.callId) - order.indexOf(b.callId))
      .map(({ tool, state }) => [tool, state]),
    conversation: messages().map(plain),
    content: await readFile(join(home, "a.txt"), "utf8"),
    thinking: messages().flatMap((message) =>
      message.role === "assistant"
        ? message.parts.flatMap((part) => (part.type === "thinking" ? [part.text] : []))
        : [],
    ),
  };
}

/** What a person would compare: ids and signatures are each provider's own. */
function plain(message: Message): unknown {
  if (message.role === "tool") {
    return { role: "tool", results: message.results.map(({ tool, text, isError }) => ({ tool, text, isError })) };
  }
  const parts = message.parts.flatMap((part): unknown[] => {
    if (part.type === "text") return [part.text];
    return part.type === "call" ? [{ tool: part.tool, input: JSON.parse(part.inputText) as unknown }] : [];
  });
  return { role: message.role, parts };
}

/** Not every protocol has a word for it; the text says it. */
function withoutErrors(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === "isError" ? undefined : each)));
}
