import assert from "node:assert/strict";
import test from "node:test";
import { createSelectionCache, type SelectionCache, selectTools } from "../../../src/agent/selection/select-tools.ts";
import { describeSaving, restoreSelection } from "../../../src/agent/selection/selection.ts";
import { createBridgeTools } from "../../../src/agent/selection/bridge-tools.ts";
import type { Tool } from "../../../src/core/tool.ts";
import { createCatalog } from "../../../src/engine/catalog.ts";
import { describeBuiltinTools, read200Tools } from "./catalog-of-200.ts";

const estimate = (text: string): number => Math.ceil(text.length / 4);

async function manyTools(): Promise<Tool[]> {
  const catalog = createCatalog([...describeBuiltinTools(), ...(await read200Tools())]);
  for (const tool of createBridgeTools(catalog)) catalog.add(tool);
  return catalog.list("agent");
}

test("a catalog that is small anyway is offered whole, without the bridge [C7]", async () => {
  const catalog = createCatalog(describeBuiltinTools());
  for (const tool of createBridgeTools(catalog)) catalog.add(tool);
  const tools = catalog.list("agent");
  const selection = await selectTools({ tools, prompt: "fix the test", estimate });
  assert.deepEqual(selection.names, [
    ..."read write edit list_files glob grep bash".split(" "),
    ..."processes run_python".split(" "),
  ]);
  assert.equal(selection.savedPercent, 0);
  assert.equal(describeSaving(selection), "[tool-schema-opt] saved=0%");
  const growing = await selectTools({ tools, prompt: "fix the test", estimate, mayGrow: true });
  assert.deepEqual(growing.names.slice(-2), ["call_tool", "find_tools"]);
});

test("a large catalog is offered as the core, eight that fit, and the bridge [C7]", async () => {
  const tools = await manyTools();
  const selection = await selectTools({ tools, prompt: "convert 20 dollars to euros", estimate });
  assert.equal(selection.names.length, 7 + 8 + 2);
  assert.deepEqual(selection.names.slice(0, 7), "read write edit list_files glob grep bash".split(" "));
  assert.ok(selection.names.includes("currency_convert"));
  assert.deepEqual(selection.names.slice(-2), ["call_tool", "find_tools"]);
  assert.equal(selection.total, 209);
  const others = selection.offers.find(({ name }) => name === "find_tools")?.description ?? "";
  assert.match(others, / Also here: alert_list alert_silence .* zendesk_search$/);
  assert.doesNotMatch(others, / currency_convert /);
  assert.match(describeSaving(selection), /^\[tool-schema-opt\] saved=[89]\d%$/);
});

test("what a model is shown stays the same bytes over thirty turns, whatever happens to the tools [C7]", async () => {
  const tools = (await manyTools()).map((tool) => ({ ...tool }));
  const selection = await selectTools({ tools, prompt: "list my calendar events", estimate });
  const first = JSON.stringify(selection.offers);
  for (let turn = 0; turn < 30; turn++) {
    const changed = tools[turn]!;
    Object.assign(changed, { description: `changed in turn ${turn}` });
    (changed.inputSchema["properties"] as Record<string, unknown>)[`added_${turn}`] = { type: "string" };
    assert.equal(JSON.stringify(selection.offers), first);
  }
  assert.throws(() => (selection.offers as unknown[]).push({}), TypeError);
  assert.throws(() => Object.assign(selection.offers[0]!.inputSchema, { extra: true }), TypeError);
});

test("a resumed conversation has the same tools as before, also for another prompt [C7]", async () => {
  const tools = await manyTools();
  const before = await selectTools({ tools, prompt: "refund the payment", estimate });
  const after = restoreSelection({ tools: tools.toReversed(), estimate }, before.names);
  assert.equal(JSON.stringify(after.offers), JSON.stringify(before.offers));
  const without = restoreSelection(
    { tools: tools.filter(({ name }) => name !== "stripe_refund"), estimate },
    before.names,
  );
  assert.deepEqual(
    without.names,
    before.names.filter((name) => name !== "stripe_refund"),
  );
});

test("a choice is made once for the same tools and words, and anew when a tool changes [C7]", async () => {
  const tools = await manyTools();
  const asked: string[] = [];
  const kept = createSelectionCache();
  const cache: SelectionCache = {
    get: (key) => kept.get(key),
    set(key, names) {
      asked.push(key);
      kept.set(key, names);
    },
  };
  const first = await selectTools({ tools, prompt: "What is the weather in Oslo?", estimate, cache });
  const again = await selectTools({ tools, prompt: "what is  the WEATHER in oslo? ", estimate, cache });
  assert.deepEqual(again, first);
  assert.equal(asked.length, 1);
  const changed = tools.map((tool) => (tool.name === "weather_current" ? { ...tool, description: "Wind." } : tool));
  await selectTools({ tools: changed, prompt: "What is the weather in Oslo?", estimate, cache });
  assert.equal(new Set(asked).size, 2);
});

test("the cache forgets what was not used for longest", () => {
  const cache = createSelectionCache(2);
  cache.set("a", ["read"]);
  cache.set("b", ["write"]);
  cache.get("a");
  cache.set("c", ["edit"]);
  assert.deepEqual([cache.get("a"), cache.get("b"), cache.get("c")], [["read"], undefined, ["edit"]]);
});

test("a prompt that says nothing is filled with what was used lately, and a giant schema pushes nobody out", async () => {
  const tools = await manyTools();
  const lately = ["jira_comment", "no_such_tool", "docker_logs"];
  const empty = await selectTools({ tools, prompt: "", estimate, recentlyUsed: lately });
  assert.deepEqual(empty.names.slice(7, -2), ["docker_logs", "jira_comment"]);
  const giant = tools.map((tool) =>
    tool.name === "weather_current" ? { ...tool, inputSchema: { type: "object", note: "x".repeat(40_000) } } : tool,
  );
  const selection = await selectTools({ tools: giant, prompt: "current weather temperature", estimate });
  assert.ok(!selection.names.includes("weather_current") && selection.names.includes("weather_forecast"));
});

/** Tools as files make them. */
function ownTools(count: number, describe: (index: number) => string = (index) => `Do thing number ${index}.`): Tool[] {
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  return Array.from({ length: count }, (_, index) => ({
    ...describeBuiltinTools()[0]!,
    name: `own_${index}`,
    description: describe(index),
    inputSchema,
    version: `own_${index}@123`,
  }));
}

const isOwn = ({ name }: Tool): boolean => name.startsWith("own_");
const isForOwn = ({ name }: Tool): boolean => name.endsWith("_custom_tools");

test("tools of the person's own are all offered up to 16, and hide none of the others [C7]", async () => {
  const many = (await manyTools()).filter(({ name }) => !name.endsWith("_custom_tools"));
  const small = many.slice(0, 24);
  const management = ownTools(2).map((tool, index) => ({
    ...tool,
    name: ["list_custom_tools", "reload_custom_tools"][index]!,
  }));
  for (const others of [small, many]) {
    const prompt = "hello";
    const without = await selectTools({ tools: others, prompt, estimate, mayGrow: true });
    for (const count of [1, 16]) {
      const own = ownTools(count);
      const tools = [...others, ...own, ...management];
      const { names } = await selectTools({ tools, prompt, estimate, isOwn, isForOwn, mayGrow: true });
      const expected = [...without.names, ...own.map(({ name }) => name), ...management.map(({ name }) => name)];
      assert.deepEqual([...names].sort(), expected.sort());
    }
  }
});

test("beyond 16 tools or 3,000 tokens of the person's own, those that fit best are offered, and the ones that find the rest [C7]", async () => {
  const management = ownTools(2).map((tool, index) => ({
    ...tool,
    name: ["list_custom_tools", "reload_custom_tools"][index]!,
  }));
  const builtin = describeBuiltinTools();
  const catalog = createCatalog(builtin);
  for (const tool of createBridgeTools(catalog)) catalog.add(tool);
  const own = ownTools(40, (index) => (index === 33 ? "오늘의 날씨를 알려준다." : `Do thing number ${index}.`));
  const tools = [...catalog.list("agent"), ...own, ...management];
  for (const prompt of ["서울 날씨가 어때?", "How is the weather in Seoul?"]) {
    const { names } = await selectTools({ tools, prompt, estimate, isOwn, isForOwn });
    assert.equal(names.filter((name) => name.startsWith("own_")).length, 16);
    assert.ok(names.includes("own_33"), prompt);
    assert.deepEqual(
      names.filter((name) => /custom_tools|find_tools|call_tool/.test(name)),
      ["list_custom_tools", "call_tool", "find_tools"],
    );
    assert.ok(builtin.every(({ name }) => names.includes(name)));
  }
  const large = ownTools(10, () => "long ".repeat(400));
  const { names } = await selectTools({ tools: [...builtin, ...large], prompt: "hello", estimate, isOwn, isForOwn });
  assert.ok(names.filter((name) => name.startsWith("own_")).length < 10);
});
