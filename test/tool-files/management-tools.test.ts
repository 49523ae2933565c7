import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createTrust } from "../../src/permissions/trust/open-trust.ts";
import { openToolBench, say, saying } from "./support.ts";

test("list_custom_tools, reload_custom_tools and tool_registry_status say how the files stand [C1]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("one"), "bad.ts": "export {};" });
  const runtime = await bench.open();
  const read = async (tool: string): Promise<Record<string, unknown>> =>
    JSON.parse((await runtime.call(tool, {})).result!.output!) as Record<string, unknown>;
  const listed = await read("list_custom_tools");
  assert.deepEqual(Object.keys(listed), ["files", "loaded", "errors"]);
  assert.deepEqual(listed["files"], ["tools/bad.ts", "tools/say.ts"]);
  assert.deepEqual(listed["loaded"], ["say"]);
  const [error] = listed["errors"] as { file: string; error: string }[];
  assert.equal(error?.file, "tools/bad.ts");
  assert.match(error.error, /^tools\/bad\.ts: It exports no TOOL_SPEC\./);
  await bench.save("say.ts", saying("two"));
  await bench.save("more.ts", saying("more", { name: "more" }));
  const { added, changed, removed } = await read("reload_custom_tools");
  assert.deepEqual({ added, changed, removed }, { added: ["more"], changed: ["say"], removed: [] });
  assert.equal(await say(runtime), "two");
  const status = await read("tool_registry_status");
  assert.deepEqual([status["folder"], status["total"]], ["tools", 3]);
  const processes = status["processes"] as { file: string; pid: number; calls: number }[];
  assert.deepEqual(
    processes.map(({ file, calls }) => [file, calls]),
    [["tools/say.ts", 0]],
  );
});

test("a person's create_or_update_custom_tool_file makes a tool at once, delete_custom_tool_file takes it away [C1]", async (t) => {
  const bench = await openToolBench(t, { "first.ts": saying("first", { name: "first" }) });
  const runtime = await bench.open({ confirmed: ["protected.path"] });
  const order = { file_name: "say.ts", content: saying("written") };
  const written = await runtime.call("create_or_update_custom_tool_file", order, { door: "cli" });
  assert.equal(written.state, "completed", written.error ?? "");
  const { version, ...told } = JSON.parse(written.result!.output!) as Record<string, unknown>;
  assert.deepEqual(told, { file: "tools/say.ts", state: "loaded", tool: "say", note: null });
  assert.match(String(version), /^say@[0-9a-f]{12}$/);
  assert.equal(await say(runtime), "written");
  const removed = await runtime.call("delete_custom_tool_file", { file_name: "say.ts" }, { door: "cli" });
  assert.equal(removed.state, "completed", removed.error ?? "");
  assert.equal(existsSync(join(bench.folder, "say.ts")), false);
  assert.match(await say(runtime), /Unknown tool/);
  const again = await runtime.call("delete_custom_tool_file", { file_name: "say.ts" }, { door: "cli" });
  assert.equal(again.errorType, "not_found");
});

test("a tool that an agent writes, shown as a diff and approved, is a tool at once, for the agent and for the person [C1, C11]", async (t) => {
  const bench = await openToolBench(t);
  await rm(bench.folder, { recursive: true });
  const asked: (string | undefined)[] = [];
  const runtime = await bench.open({
    settings: {},
    approve: (request) => {
      asked.push(request.preview?.diff);
      return Promise.resolve({ decision: "allow", scope: "once", who: "kim" });
    },
  });
  const write = async (word: string) => {
    const order = { file_name: "say.ts", content: saying(word) };
    const written = await runtime.call("create_or_update_custom_tool_file", order, { door: "agent" });
    assert.equal(written.state, "completed", written.error ?? "");
    return JSON.parse(written.result!.output!) as Record<string, unknown>;
  };
  const { version, ...made } = await write("made");
  assert.deepEqual(made, { file: "tools/say.ts", state: "loaded", tool: "say", note: null });
  assert.match(String(version), /^say@[0-9a-f]{12}$/);
  assert.match(asked[0] ?? "", /\+export const run .*"made"/);
  assert.equal((await runtime.call("say", {}, { door: "agent" })).result?.output, "made");
  assert.equal(await say(runtime), "made");
  assert.equal((await write("changed"))["state"], "loaded");
  assert.equal(await say(runtime), "changed");
  await runtime.close();
  // The next program knows it as the person's own.
  assert.equal(await say(await bench.open()), "changed");
  assert.deepEqual(createTrust(bench.home, bench.env).quarantined(), []);
});

test("what an agent writes that way by a rule, without anyone having seen it, waits for a person [C1, C11]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("person") });
  const runtime = await bench.open({ confirmed: ["protected.path"] });
  const order = { file_name: "say.ts", content: saying("agent") };
  const written = await runtime.call("create_or_update_custom_tool_file", order, { door: "agent" });
  assert.equal(written.state, "completed", written.error ?? "");
  const { state, note } = JSON.parse(written.result!.output!) as { state: string; note: string };
  assert.equal(state, "quarantined");
  const why = `tools/say.ts: It changed while call ${written.id} (create_or_update_custom_tool_file) was running`;
  assert.ok(note.startsWith(why), note);
  assert.match(await readFile(join(bench.folder, "say.ts"), "utf8"), /agent/);
  assert.equal(await say(runtime), "person");
  bench.trust();
  // Approved is not proven: what an agent made is tried first, in whatever mode.
  await say(runtime);
  const rollouts = await runtime.rollouts();
  assert.equal((await rollouts.list("say"))[0]?.status, "running");
  await rollouts.promote("say", { to: "all" });
  assert.equal(await say(runtime), "agent");
});

test("names that lead elsewhere, or would be no tool, are refused [C1, G1]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("said") });
  await writeFile(join(bench.home, "other.ts"), "mine");
  const runtime = await bench.open({ confirmed: ["protected.path"] });
  for (const name of [
    "../other.ts",
    "/etc/passwd",
    "a/b.ts",
    ".hidden.ts",
    "x.test.ts",
    "x.txt",
    "",
    "..",
    "a\0b.ts",
  ]) {
    for (const tool of ["create_or_update_custom_tool_file", "delete_custom_tool_file"]) {
      const { state } = await runtime.call(tool, { file_name: name, content: "x" }, { door: "cli" });
      assert.notEqual(state, "completed", `${tool} ${JSON.stringify(name)}`);
    }
  }
  assert.equal(await readFile(join(bench.home, "other.ts"), "utf8"), "mine");
});
