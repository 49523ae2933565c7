import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { z } from "zod";
import { systemClock } from "../../../src/core/clock.ts";
import { defineTool } from "../../../src/core/define-tool.ts";
import type { Execution } from "../../../src/core/call.ts";
import type { Tool } from "../../../src/core/tool.ts";
import { exposeCatalog } from "../../../src/mcp/server/expose-catalog.ts";
import type { Runtime, RuntimeConfig } from "../../../src/runtime/create-runtime.ts";
import { createLatchTool } from "../../support/latch-tool.ts";
import { openRuntime } from "../../support/runtime.ts";
import { openPipe, type Pipe } from "./support/open-pipe.ts";
import { createScriptedDesk } from "./support/scripted-desk.ts";
import { partsOf } from "./support/server-parts.ts";

async function open(
  t: TestContext,
  config: RuntimeConfig = {},
): Promise<{ readonly runtime: Runtime; readonly pipe: Pipe }> {
  const runtime = await openRuntime(t, config);
  const parts = partsOf(createScriptedDesk());
  const toolbox = exposeCatalog(parts.toolbox, () => Promise.resolve(runtime), systemClock);
  return { runtime, pipe: await openPipe(t, { ...parts, toolbox }, { era: "legacy" }) };
}

async function lastCall(runtime: Runtime): Promise<Execution> {
  const [execution] = await runtime.list({ limit: 1 });
  return execution!;
}

const own = [
  "use_agent",
  "get_task_status",
  "wait_for_task",
  "get_task_output",
  "list_tasks",
  "cancel_task",
  "list_agents",
];

test("the catalog's tools are listed once, beside the door's own, with their own names and schemas [P9, T7]", async (t) => {
  const { runtime, pipe } = await open(t);
  const { result } = await pipe.request("tools/list");
  const tools = result!["tools"] as {
    readonly name: string;
    readonly inputSchema: object;
    readonly annotations: object;
  }[];
  const offered = runtime.tools.list("mcp").filter(({ name }) => !own.includes(name));
  assert.deepEqual(
    tools.map(({ name }) => name),
    [...own, ...offered.map(({ name }) => name)],
  );
  assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
  const read = tools.find(({ name }) => name === "read")!;
  assert.deepEqual(read.inputSchema, runtime.tools.resolve("read")!.inputSchema);
  assert.deepEqual(read.annotations, {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  });
});

test("a tool of the catalog that has the name of one of the door's own is not offered a second time [T7]", async (t) => {
  const { pipe } = await open(t, { tools: [createLatchTool({ name: "Use_Agent" }).tool], builtins: false });
  const { result } = await pipe.request("tools/list");
  assert.deepEqual(
    (result!["tools"] as { name: string }[]).map(({ name }) => name),
    own,
  );
});

test("a call goes by the runtime: its output comes back, and its record says which door it came by [E2]", async (t) => {
  const { runtime, pipe } = await open(t);
  await writeFile(join(runtime.workdir, "a.txt"), "hello\n");
  const answer = await pipe.call("read", { file_path: "a.txt" });
  assert.equal(answer.isError, false);
  assert.match(answer.content[0]!.text, /hello/);
  const { door, toolId, state } = await lastCall(runtime);
  assert.deepEqual({ door, toolId, state }, { door: "mcp", toolId: "read", state: "completed" });
});

test("what needs a person's yes is refused with the sentence, because nobody can give it here [G6, G8]", async (t) => {
  const { runtime, pipe } = await open(t);
  const answer = await pipe.call("write", { file_path: "b.txt", content: "x" });
  assert.equal(answer.isError, true);
  assert.match(answer.content[0]!.text, /^Error: /);
  const { state, errorType } = await lastCall(runtime);
  assert.deepEqual([state, errorType], ["cancelled", "denied"]);
  await assert.rejects(readFile(join(runtime.workdir, "b.txt")), { code: "ENOENT" });
});

test("what the permission rules allow runs, and danger is refused whatever they say [G8]", async (t) => {
  const { runtime, pipe } = await open(t, { settings: { permissions: { allow: ["write", "bash"] } } });
  assert.equal((await pipe.call("write", { file_path: "b.txt", content: "x" })).isError, false);
  assert.equal(await readFile(join(runtime.workdir, "b.txt"), "utf8"), "x");
  const danger = await pipe.call("bash", { command: "rm -rf ." });
  assert.equal(danger.isError, true);
  assert.equal(await readFile(join(runtime.workdir, "b.txt"), "utf8"), "x");
});

test("wrong input is an error of the tool that says what to send [E6]", async (t) => {
  const { pipe } = await open(t);
  const answer = await pipe.call("read", { name: "a.txt" });
  assert.equal(answer.isError, true);
  assert.match(answer.content[0]!.text, /^Error: Missing parameters: file_path\nHint: /);
});

test("a call that fails again and again is run again: what the client did in between is not seen here [P6]", async (t) => {
  const { pipe } = await open(t);
  for (let time = 1; time <= 5; time++) {
    const { content } = await pipe.call("read", { file_path: "missing.txt" });
    assert.doesNotMatch(content[0]!.text, /not run again|FAILED after retries/);
  }
});

test("notifications/cancelled stops the call [E4]", async (t) => {
  const latch = createLatchTool({ traits: { readOnly: true } });
  const { runtime, pipe } = await open(t, { tools: [latch.tool], builtins: false });
  pipe.send({ jsonrpc: "2.0", id: "c", method: "tools/call", params: { name: "latch", arguments: { name: "one" } } });
  await latch.runs("one");
  const settled = settledCall(runtime);
  pipe.send({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: "c", reason: "changed my mind" },
  });
  assert.equal(await settled, "cancelled");
  assert.deepEqual(
    pipe.others.filter(({ id }) => id === "c"),
    [],
  );
});

test("a client that hangs up in the middle of a call stops it [E4]", async (t) => {
  const latch = createLatchTool({ traits: { readOnly: true } });
  const { runtime, pipe } = await open(t, { tools: [latch.tool], builtins: false });
  pipe.send({ jsonrpc: "2.0", id: "c", method: "tools/call", params: { name: "latch", arguments: { name: "one" } } });
  await latch.runs("one");
  const settled = settledCall(runtime);
  pipe.input.end();
  assert.equal(await settled, "cancelled");
  await pipe.closed;
});

test("progress reaches a client that gave a token, growing whatever the tool says, and no other client [E9]", async (t) => {
  const { pipe } = await open(t, { tools: [steps], builtins: false });
  const { result } = await pipe.request("tools/call", {
    name: "steps",
    arguments: {},
    _meta: { progressToken: "token-1" },
  });
  assert.equal(result!["isError"], false);
  const told = pipe.others.filter(({ method }) => method === "notifications/progress").map(({ params }) => params!);
  assert.deepEqual(told[0], { progressToken: "token-1", progress: 3, total: 9, message: "three of nine" });
  const values = told.map(({ progress }) => Number(progress));
  assert.deepEqual(
    values,
    [...new Set(values)].sort((a, b) => a - b),
  );
  await pipe.call("steps");
  assert.equal(pipe.others.filter(({ method }) => method === "notifications/progress").length, told.length);
});

const steps = defineTool({
  name: "steps",
  description: "Takes steps.",
  traits: { readOnly: true },
  input: z.object({}),
  run(_input, { progress }) {
    progress({ done: 3, total: 9, message: "three of nine" });
    progress({ done: 1 });
    progress({ output: "a line\n" });
    return Promise.resolve({ ok: true, output: "done" });
  },
}) as Tool;

function settledCall(runtime: Runtime): Promise<string> {
  return new Promise((resolve) => void runtime.on("execution:settled", ({ state }) => resolve(state)));
}
