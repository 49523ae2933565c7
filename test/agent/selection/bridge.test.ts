import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { createBridgeTools, unwrapBridge } from "../../../src/agent/selection/bridge-tools.ts";
import { defineTool } from "../../../src/core/define-tool.ts";
import type { CallPart } from "../../../src/core/message.ts";
import { createCatalog } from "../../../src/engine/catalog.ts";
import { setUpEngine } from "../../support/engine.ts";
import { read200Tools } from "./catalog-of-200.ts";

function callTool(inputText: string): CallPart {
  return { type: "call", callId: "c1", tool: "call_tool", inputText };
}

async function setUpBridge() {
  const catalog = createCatalog(await read200Tools());
  const greet = defineTool({
    name: "greet",
    description: "Say hello to somebody.",
    input: z.object({ who: z.string() }),
    run: ({ who }) => Promise.resolve({ ok: true, output: `Hello ${who}` }),
  });
  catalog.add(greet);
  for (const tool of createBridgeTools(catalog)) catalog.add(tool);
  return { catalog, engine: setUpEngine({ catalog }).engine };
}

test("a tool that was left out is found by what it does, and runs through call_tool under its own name [C7]", async () => {
  const { engine } = await setUpBridge();
  const found = await engine.call({ tool: "find_tools", input: { query: "say hello", limit: 1 } });
  assert.equal(found.result?.ok && found.result.output.split("\n")[0], "greet: Say hello to somebody.");
  const { tool, inputText } = unwrapBridge(callTool('{"name":"greet","input":{"who":"Ann"}}'));
  const ran = await engine.call({ tool, inputText });
  assert.deepEqual([ran.toolId, ran.state, ran.result?.ok && ran.result.output], ["greet", "completed", "Hello Ann"]);
});

test("a search without a match names what there is [C7]", async () => {
  const { engine } = await setUpBridge();
  const { result } = await engine.call({ tool: "find_tools", input: { query: "xyzzy" } });
  assert.match(
    result?.ok ? result.output : "",
    /^No tool fits "xyzzy"\. There are tools for: calendar \(10\), chat \(10\)/,
  );
});

test("tools that are added later are found [C7]", async () => {
  const { engine, catalog } = await setUpBridge();
  await engine.call({ tool: "find_tools", input: { query: "anything" } });
  catalog.add(
    defineTool({
      name: "zebra_count",
      description: "Count zebras.",
      input: z.object({}),
      run: () => Promise.resolve({ ok: true, output: "0" }),
    }),
  );
  const { result } = await engine.call({ tool: "find_tools", input: { query: "zebras" } });
  assert.deepEqual(result?.data, { tools: ["zebra_count"] });
});

test("call_tool is unwrapped in every form models write, and left alone when it can't be understood", () => {
  const unwrapped = { ...callTool(""), tool: "greet", inputText: '{"who":"Ann"}' };
  for (const text of [
    '{"name":"greet","input":{"who":"Ann"}}',
    '{"name":" greet ","arguments":{"who":"Ann"}}',
    '{"tool_name":"greet","parameters":{"who":"Ann"}}',
    '{"name":"greet","input":"{\\"who\\":\\"Ann\\"}"}',
  ]) {
    assert.deepEqual(unwrapBridge(callTool(text)), unwrapped);
  }
  assert.equal(unwrapBridge({ ...callTool('{"name":"greet"}'), tool: "CallTool" }).inputText, "{}");
  for (const text of [
    "",
    "{",
    "[]",
    "null",
    '{"input":{}}',
    '{"name":""}',
    '{"name":7}',
    '{"name":"greet","input":[1]}',
    '{"name":"greet","input":"no json"}',
    '{"name":"call_tool","input":{"name":"greet"}}',
    '{"name":"find_tools","input":{"query":"x"}}',
  ]) {
    assert.deepEqual(unwrapBridge(callTool(text)), callTool(text));
  }
  const other = { ...callTool('{"name":"greet"}'), tool: "read" };
  assert.equal(unwrapBridge(other), other);
});

test("wrong use of call_tool is explained, with the nearest names", async () => {
  const { engine } = await setUpBridge();
  const run = async (inputText: string) => {
    const { tool, inputText: inner } = unwrapBridge(callTool(inputText));
    const { error, result } = await engine.call({ tool, inputText: inner });
    return `${error} ${result?.ok === false ? result.hint : ""}`;
  };
  assert.match(await run('{"name":"gret","input":{}}'), /^Unknown tool: gret .*Did you mean greet/);
  assert.match(await run('{"input":{}}'), /^Missing parameters: name/);
  assert.match(await run('{"name":"find_tools","input":{}}'), /Call find_tools itself\./);
  assert.match(await run('{"name":"greet","input":"x"}'), /^Wrong parameters: input: expected/);
});
