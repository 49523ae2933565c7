import assert from "node:assert/strict";
import { test } from "node:test";
import { textOfParts, type Message } from "../../src/core/message.ts";
import { openAgentOf } from "../support/agent.ts";
import { openToolBench, saying } from "./support.ts";

const answers = ["One.", "Two.", "Three."];

test("when an offered tool takes another input, the next prompt goes on from a memo that keeps the pins [C8]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("one") });
  const runtime = await bench.open();
  const { agent, requests, messages } = await openAgentOf(t, runtime, { turns: answers });
  await agent.send("Say hello in Korean. Never touch main.ts.");
  const input_schema = { type: "object", properties: { loud: { type: "boolean" } } };
  await bench.save("say.ts", saying("one", { input_schema }));
  await agent.send("And now?");
  const [first, second] = requests;
  assert.deepEqual(offered(first, "say"), { type: "object", properties: {} });
  assert.deepEqual(offered(second, "say"), input_schema);
  assert.equal(second!.messages.filter(({ role }) => role === "assistant").length, 0);
  assert.match(allText(second!.messages), /Never touch main\.ts/);
  assert.match(allText(second!.messages), /And now\?/);
  await agent.send("Again?");
  // Once: the tools are those that it was told of.
  assert.equal(agent.history.filter(({ type }) => type === "compaction").length, 1);
  assert.ok(messages().length >= 4);
});

test("a tool that is gone is offered no more; one that is new is told, and the history stays [C8]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("one"), "other.ts": saying("x", { name: "other" }) });
  const runtime = await bench.open();
  const { agent, requests } = await openAgentOf(t, runtime, { turns: answers });
  await agent.send("Hello.");
  await bench.save("more.ts", saying("more", { name: "more" }));
  await bench.save("other.ts", saying("y", { name: "other" }));
  await agent.send("And now?");
  const second = requests[1]!;
  assert.deepEqual(second.tools, requests[0]!.tools);
  assert.equal(second.messages.filter(({ role }) => role === "assistant").length, 1);
  assert.match(allText(second.messages), /New tools since then: more; call_tool runs them/);
  assert.match(allText(second.messages), /Changed since then, with the same input: other\./);
  await bench.remove("say.ts");
  await agent.send("Again?");
  assert.equal(offered(requests[2], "say"), undefined);
  assert.equal(agent.history.filter(({ type }) => type === "compaction").length, 1);
});

function offered(
  request: { readonly tools: readonly { name: string; inputSchema: unknown }[] } | undefined,
  name: string,
) {
  return request?.tools.find((tool) => tool.name === name)?.inputSchema;
}

function allText(messages: readonly Message[]): string {
  return messages.map((message) => (message.role === "tool" ? "" : textOfParts(message.parts))).join("\n");
}
