import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf } from "../../src/core/errors.ts";
import type { OfferedIn, Tool } from "../../src/core/tool.ts";
import { createCatalog, toolAliases } from "../../src/engine/catalog.ts";
import { looseTool } from "../support/engine.ts";

function tool(name: string, offeredIn?: readonly OfferedIn[]): Tool {
  return looseTool({
    name,
    run: () => Promise.resolve({ ok: true, output: name }),
    ...(offeredIn ? { traits: { offeredIn } } : {}),
  });
}

const canonicalNames = [
  ["read", "write", "edit", "list_files", "glob", "grep", "bash", "run_python", "web_fetch", "web_search", "ask_user"],
  ["list_custom_tools", "reload_custom_tools", "tool_registry_status", "create_or_update_custom_tool_file"],
  ["delete_custom_tool_file", "use_agent", "get_task_status", "cancel_task"],
].flat();
const catalog = createCatalog(canonicalNames.map((name) => tool(name)));

/** Every name under which the source documents speak of a tool, and what it means. */
const namesInUse: readonly (readonly [string, string])[] = [
  ["read", "read"],
  ["read_file", "read"],
  ["write", "write"],
  ["write_file", "write"],
  ["edit", "edit"],
  ["list_files", "list_files"],
  ["glob", "glob"],
  ["grep", "grep"],
  ["bash", "bash"],
  ["Bash", "bash"],
  ["run_shell", "bash"],
  ["run_python", "run_python"],
  ["web_fetch", "web_fetch"],
  ["WebFetch", "web_fetch"],
  ["web_search", "web_search"],
  ["WebSearch", "web_search"],
  ["ask_user", "ask_user"],
  ["AskUserQuestion", "ask_user"],
  ["ask_user_question", "ask_user"],
  ["list_custom_tools", "list_custom_tools"],
  ["reload_custom_tools", "reload_custom_tools"],
  ["tool_registry_status", "tool_registry_status"],
  ["create_or_update_custom_tool_file", "create_or_update_custom_tool_file"],
  ["delete_custom_tool_file", "delete_custom_tool_file"],
  ["use_agent", "use_agent"],
  ["get_task_status", "get_task_status"],
  ["cancel_task", "cancel_task"],
];
for (const [name, canonical] of namesInUse) {
  test(`${name} is ${canonical}, in any case and spelling [P9]`, () => {
    const spellings = [
      name,
      name.toLowerCase(),
      name.toUpperCase(),
      name.replaceAll("_", "-"),
      name.replaceAll("_", ""),
    ];
    for (const spelling of spellings) {
      assert.equal(catalog.resolve(spelling)?.name, canonical, spelling);
      assert.equal(catalog.canonicalName(spelling), canonical, spelling);
    }
  });
}

test("no alias means two tools, and none hides a canonical name [P9]", () => {
  const owners = new Map<string, string>();
  for (const [canonical, aliases] of Object.entries(toolAliases)) {
    for (const name of [canonical, ...aliases]) {
      const folded = name.toLowerCase().replaceAll(/[-_]/g, "");
      assert.ok(!owners.has(folded), `"${name}" is both ${owners.get(folded)} and ${canonical}`);
      owners.set(folded, canonical);
    }
  }
});

test("a tool's own name wins over another tool's alias [P9]", () => {
  const own = createCatalog([tool("grep"), tool("search")]);
  assert.equal(own.resolve("search")?.name, "search");
  assert.equal(own.resolve("Search")?.name, "search");
  assert.equal(own.resolve("grep_search")?.name, "grep");
  assert.ok(!own.aliasesOf("grep").includes("search"));
  assert.deepEqual(own.suggest("serch"), ["search"]);
  assert.equal(own.remove("search"), true);
  assert.equal(own.resolve("search")?.name, "grep");
});

test("an alias also finds a tool that spells its canonical name in another case [P9]", () => {
  const shouting = createCatalog([tool("Bash"), tool("Read")]);
  assert.equal(shouting.resolve("run_shell")?.name, "Bash");
  assert.equal(shouting.resolve("read_file")?.name, "Read");
  assert.equal(shouting.resolve("READ")?.name, "Read");
});

test("a name that is taken, also in another case or spelling, is refused [P9]", () => {
  for (const [first, second] of [
    ["my_tool", "my_tool"],
    ["my_tool", "My_Tool"],
    ["my_tool", "my-tool"],
    ["my_tool", "mytool"],
  ] as const) {
    const taken = createCatalog([tool(first)]);
    assert.throws(
      () => taken.add(tool(second)),
      (thrown: Error) => codeOf(thrown) === "DUPLICATE_TOOL" && thrown.message.includes(`"${first}"`),
    );
    assert.equal(taken.list().length, 1);
  }
  assert.throws(
    () => createCatalog([tool("twice"), tool("twice")]),
    (thrown) => codeOf(thrown) === "DUPLICATE_TOOL",
  );
});

test("a removed tool is gone, its name is free, and a near name removes nothing [P9]", () => {
  const changing = createCatalog([tool("mine")]);
  assert.equal(changing.remove("MINE"), false);
  assert.equal(changing.remove("other"), false);
  assert.equal(changing.resolve("Mine")?.name, "mine");
  assert.equal(changing.remove("mine"), true);
  assert.equal(changing.resolve("mine"), undefined);
  changing.add(tool("Mine"));
  assert.equal(changing.resolve("mine")?.name, "Mine");
});

test("the catalog says where a tool is offered [P9]", () => {
  const offered = createCatalog([tool("a", ["chat"]), tool("b", ["agent", "mcp"]), tool("c")]);
  const names = (where?: OfferedIn): string[] => offered.list(where).map(({ name }) => name);
  assert.deepEqual(names(), ["a", "b", "c"]);
  assert.deepEqual(names("chat"), ["a"]);
  assert.deepEqual(names("agent"), ["b", "c"]);
  assert.deepEqual(names("mcp"), ["b", "c"]);
  assert.deepEqual(names("schedule"), ["c"]);
});

test("names that every object has are just names [P9]", () => {
  const odd = createCatalog([tool("constructor"), tool("valueOf"), tool("hasOwnProperty")]);
  assert.equal(odd.resolve("constructor")?.name, "constructor");
  assert.deepEqual(odd.aliasesOf("constructor"), []);
  assert.deepEqual(odd.suggest("construktor"), ["constructor"]);
  const empty = createCatalog([]);
  for (const name of ["constructor", "__proto__", "toString"]) {
    assert.equal(empty.resolve(name), undefined);
    assert.equal(empty.canonicalName(name), undefined);
    assert.deepEqual(empty.aliasesOf(name), []);
    assert.deepEqual(empty.suggest(name), []);
  }
});

test("a suggestion is a canonical name, also when an alias was nearest [P9 E6]", () => {
  assert.deepEqual(catalog.suggest("run_shel"), ["bash"]);
  assert.equal(catalog.suggest("read_fil")[0], "read");
  assert.equal(catalog.suggest("AskUserQuestio")[0], "ask_user");
});
