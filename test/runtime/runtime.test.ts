import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { defineTool } from "../../src/core/define-tool.ts";
import type { RuntimeEvent } from "../../src/core/events.ts";
import type { ToolCall } from "../../src/core/call.ts";
import type { ToolResult } from "../../src/core/tool.ts";
import { createRuntime, type Runtime } from "../../src/runtime/create-runtime.ts";
import { isolatedEnvironment, openRuntime, until } from "../support/runtime.ts";
import { afterTest } from "../support/after-test.ts";
import { temporaryFolder } from "../support/temporary.ts";

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  input: z.object({ text: z.string() }),
  traits: { readOnly: true },
  resources: () => [],
  run: async ({ text }) => ({ ok: true, output: text }),
});

const untilStopped = defineTool({
  name: "until_stopped",
  description: "Waits for its signal.",
  input: z.object({}),
  run: (_input, { signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve({ ok: true, output: "stopped" }))),
});

/** A second runtime, in a process of its own, that runs one call; resolves when that call has started. */
async function runElsewhere(
  t: TestContext,
  home: string,
  [tool, input]: [string, unknown],
): Promise<{ child: ChildProcess; id: string; lines: AsyncIterator<string> }> {
  const program = fileURLToPath(new URL("../fixtures/runtime/runs-one-call.ts", import.meta.url));
  const child = spawn(process.execPath, [program, home, tool, JSON.stringify(input)], {
    env: isolatedEnvironment(home),
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: id } = await lines.next();
  return { child, id: String(id), lines };
}

test("a program runs its own tool, watches its events and cancels it [E5 E8]", async (t) => {
  const runtime = await openRuntime(t, { tools: [untilStopped] });
  const events: RuntimeEvent[] = [];
  runtime.on("*", (event) => events.push(event));
  const call = runtime.call("until_stopped", {});
  await until("it runs", async () => (await runtime.get(call.id))?.state === "running");
  assert.equal(await runtime.cancel(call.id, "Enough"), true);
  const execution = await call;
  assert.deepEqual(
    [execution.state, execution.error, execution.stopCause, execution.stopProof, execution.runPhase, execution.door],
    ["cancelled", "Enough", "cancel", "cooperative", "returned", "library"],
  );
  assert.equal(await runtime.cancel(call.id), false);
  assert.equal(await runtime.cancel("call_00000000-0000-7000-8000-000000000000"), false);
  await until("all events came", () => events.length === 3);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["execution:created", "execution:started", "execution:settled"],
  );
});

test("the last ten are listed newest first, and the store knows them all after a restart [E5]", async (t) => {
  const home = await temporaryFolder(t);
  const first = await openRuntime(t, { home, tools: [echo] });
  const ids: string[] = [];
  for (let n = 0; n < 120; n++) ids.push((await first.call("echo", { text: String(n) })).id);
  assert.deepEqual(
    (await first.list()).map(({ id }) => id),
    ids.slice(-10).reverse(),
  );
  assert.equal((await first.get(ids[0]!))?.result?.output, "0");
  await first.close();

  const second = await openRuntime(t, { home });
  assert.equal((await second.list({ limit: 1000 })).length, 120);
  const again = await second.get(ids[7]!);
  assert.equal(again?.state, "completed");
  assert.equal(again?.result?.output, "7");
});

test("a call that another process runs is listed and cancelled from here [E5]", async (t) => {
  const home = await temporaryFolder(t);
  const { child, id, lines } = await runElsewhere(t, home, ["bash", { command: "sleep 300" }]);
  const runtime = await openRuntime(t, { home });
  const running = await runtime.list({ states: ["running"] });
  assert.deepEqual(
    running.map((execution) => execution.id),
    [id],
  );
  assert.equal(await runtime.cancel(id, "From next door"), true);
  const { value } = await lines.next();
  assert.deepEqual(JSON.parse(String(value)), { state: "cancelled", errorType: "cancelled", stopCause: "cancel" });
  await once(child, "exit");
  const ended = await runtime.get(id);
  assert.equal(ended?.state, "cancelled");
  assert.equal(ended?.error, "From next door");
  assert.equal(await runtime.cancel(id), false);
});

for (const sandbox of ["auto", "off"]) {
  test(`kill -9 of the runtime in the middle of a call, sandbox ${sandbox}: the next start ends it and reaps [E4 E5]`, async (t) => {
    const home = await temporaryFolder(t);
    await mkdir(join(home, ".config", "deckhand"), { recursive: true });
    await writeFile(join(home, ".config", "deckhand", "deckhand.json"), JSON.stringify({ sandbox }));
    const beat = join(home, "beat");
    const command = `setsid bash -c 'while :; do echo >> "${beat}"; sleep 0.05; done' & sleep 300`;
    const { child, id } = await runElsewhere(t, home, ["bash", { command }]);
    await until("it beats", () =>
      stat(beat).then(
        () => true,
        () => false,
      ),
    );
    child.kill("SIGKILL");
    await once(child, "exit");

    const runtime = await openRuntime(t, { home });
    const execution = await runtime.get(id);
    assert.equal(execution?.state, "failed");
    assert.equal(execution?.errorType, "runtime_lost");
    assert.equal(execution?.runPhase, "started");
    assert.equal(execution?.error, "Outcome unknown: the runtime that ran this call ended before the call did");
    const beats = (await readFile(beat)).length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal((await readFile(beat)).length, beats, "it still beats");
    assert.deepEqual(await runtime.list({ states: ["pending", "running"] }), []);
  });
}

test("a damaged store: what is safe to repeat runs, anything else is refused with a sentence [E6]", async (t) => {
  const home = await temporaryFolder(t);
  await (await openRuntime(t, { home })).close();
  await writeFile(
    join(home, ".deckhand", "deckhand.db"),
    "this is not a database, whatever its name says\n".repeat(99),
  );
  const runtime = await openRuntime(t, { home, tools: [echo] });
  assert.equal(runtime.warnings.length, 1);
  assert.equal((await runtime.call("echo", { text: "still here" })).result?.output, "still here");
  const refused = await runtime.call("write", { file_path: "a.txt", content: "a" });
  assert.deepEqual([refused.state, refused.errorType, refused.runPhase], ["failed", "store", "not_started"]);
  assert.match(refused.error ?? "", /^Not run: it could not be recorded\. .*deckhand\.db/);
  await assert.rejects(stat(join(home, "a.txt")), { code: "ENOENT" });
});

test("closing cancels what runs, and a closed runtime takes no calls [E4]", async (t) => {
  const runtime = await openRuntime(t, { tools: [untilStopped] });
  const call = runtime.call("until_stopped", {});
  await runtime.close();
  await runtime.close();
  assert.equal((await call).state, "cancelled");
  assert.throws(() => runtime.call("until_stopped", {}), { code: "RUNTIME_CLOSED" });
});

test("limits in the configuration may use any name of a tool [E3 P9]", async (t) => {
  const runtime = await openRuntime(t, { settings: { limits: { timeout_ms: { Run_Shell: 1234 } } } });
  assert.equal((await runtime.call("bash", { command: "true" })).timeoutMs, 1234);
});

test("TOOL_TIMEOUT_SECONDS is only the shell's default: one call may ask for more, up to the cap [G3]", async (t) => {
  const home = await temporaryFolder(t);
  const env = { ...isolatedEnvironment(home), TOOL_TIMEOUT_SECONDS: "7" };
  const runtime = await openRuntime(t, { home, env });
  const limitOf = async (timeout?: number): Promise<number | null> =>
    (await runtime.call("bash", { command: "true", ...(timeout === undefined ? {} : { timeout }) })).timeoutMs;
  assert.deepEqual([await limitOf(), await limitOf(300), await limitOf(6000)], [7000, 300_000, 600_000]);
  assert.equal((await runtime.call("list_files", {})).timeoutMs, 30_000);
});

test("tools that call the runtime while all slots are taken do not lock each other [P1 P8]", async (t) => {
  const inner = defineTool({
    name: "inner",
    description: "Called by another.",
    input: z.object({ depth: z.number() }),
    resources: () => [],
    run: async ({ depth }): Promise<ToolResult> => {
      if (depth === 0) return { ok: true, output: "bottom" };
      const { state, result } = await runtime.call("inner", { depth: depth - 1 });
      return { ok: true, output: `${state} ${result?.output ?? ""}` };
    },
  });
  const runtime: Runtime = await openRuntime(t, { tools: [inner], settings: { limits: { max_parallel: 2 } } });
  const outer = await Promise.all(Array.from({ length: 4 }, () => runtime.call("inner", { depth: 3 })));
  assert.deepEqual(
    outer.map(({ result }) => result?.output),
    Array.from({ length: 4 }, () => "completed completed completed bottom"),
  );
  const all = await runtime.list({ limit: 100 });
  const ids = new Set(all.map(({ id }) => id));
  assert.equal(all.filter(({ parentId }) => parentId !== null && ids.has(parentId)).length, 12);
  const [free] = await runtime.batch([{ tool: "inner", input: { depth: 0 } }]);
  assert.equal(free?.state, "completed");
});

test("a call without a tool's name is a failed execution like any other [E6]", async (t) => {
  const runtime = await openRuntime(t);
  const nameless = await runtime.call(undefined as unknown as string);
  assert.deepEqual([nameless.state, nameless.error], ["failed", "Unknown tool: undefined"]);
  const [batched] = await runtime.batch([{} as unknown as ToolCall]);
  assert.equal(batched?.errorType, "unknown_tool");
});

test("settings of a program are checked like those of a file [P1]", async (t) => {
  for (const settings of [{ limits: { max_parallel: 0 } }, { limits: { max_parallel: 50 } }, { bogus: 1 }]) {
    await assert.rejects(openRuntime(t, { settings }), { code: "CONFIG_INVALID" });
  }
});

test("a workdir that can't have folders is said, not waited for", { timeout: 20_000 }, async (t) => {
  const home = await temporaryFolder(t);
  const runtime = await createRuntime({ workdir: "/proc", env: isolatedEnvironment(home) });
  afterTest(t, () => runtime.close());
  assert.equal(runtime.warnings.length, 1);
});

test("a workdir that is missing or a file is one sentence", async (t) => {
  const home = await temporaryFolder(t);
  const env = isolatedEnvironment(home);
  await writeFile(join(home, "file"), "");
  await assert.rejects(createRuntime({ workdir: join(home, "nowhere"), env }), { code: "WORKDIR_INVALID" });
  await assert.rejects(createRuntime({ workdir: join(home, "file"), env }), { code: "WORKDIR_INVALID" });
});
