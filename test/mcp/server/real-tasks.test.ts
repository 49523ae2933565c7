import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterTest } from "../../support/after-test.ts";
import { until } from "../../support/runtime.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const program = join(import.meta.dirname, "../../fixtures/mcp-door/serve-tasks.ts");
const patienceMs = 60_000;

interface Connection {
  readonly pid: number;
  readonly ended: Promise<unknown>;
  call(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>>;
  hangUp(): Promise<void>;
}

/** A folder of tasks; whatever still runs in it is ended after the test. */
async function openFolder(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  afterTest(t, async () => {
    const server = await connect(t, folder);
    const { tasks } = await server.call("list_tasks", { state: "running" });
    for (const task of tasks as { task_id: string }[]) await server.call("cancel_task", { task_id: task.task_id });
    await server.hangUp();
  });
  return folder;
}

/** The official client, and the server as a process of its own. */
async function connect(t: TestContext, folder: string, era: "legacy" | "modern" = "legacy"): Promise<Connection> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, folder],
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" },
  });
  const ended = new Promise((resolve) => (transport.onclose = () => resolve(undefined)));
  const client = new Client(
    { name: "test", version: "0" },
    { capabilities: {}, ...(era === "modern" ? { versionNegotiation: { mode: "auto" } } : {}) },
  );
  await client.connect(transport, { timeout: patienceMs });
  afterTest(t, () => client.close());
  return {
    pid: transport.pid!,
    ended,
    async call(name, input) {
      const answer = await client.callTool({ name, arguments: input }, { timeout: patienceMs });
      assert.equal(answer.isError ?? false, false, JSON.stringify(answer.content));
      return answer.structuredContent as Record<string, unknown>;
    },
    hangUp: () => client.close(),
  };
}

/** Until it says something else than running. */
async function finish(server: Connection, id: unknown): Promise<Record<string, unknown>> {
  for (;;) {
    const status = await server.call("wait_for_task", { task_id: id, timeout: 20 });
    if (status["status"] !== "running") return status;
  }
}

/** A job that goes on when the test says so. */
function waitsFor(file: string): string {
  return `echo 'session s-1'; echo 'text It is '; while ! [ -e '${file}' ]; do sleep 0.05; done; echo 'text done.'; echo ok`;
}

for (const era of ["legacy", "modern"] as const) {
  test(`a job is handed over, looked at while it runs, and its result fetched (${era}) [T1, T2, T3, T7]`, async (t) => {
    const folder = await openFolder(t);
    const server = await connect(t, folder, era);
    const { task_id: id } = await server.call("use_agent", { cli_name: "said", message: waitsFor(join(folder, "go")) });
    const status = await server.call("get_task_status", { task_id: id });
    assert.deepEqual(Object.keys(status), ["status", "elapsed_time"]);
    await until(
      "its answer begins",
      async () => {
        const { answer } = await server.call("get_task_output", { task_id: id });
        return answer === "It is ";
      },
      patienceMs,
    );
    await writeFile(join(folder, "go"), "");
    assert.deepEqual(await finish(server, id), { status: "completed", result: "It is done." });
    const { tasks } = await server.call("list_tasks", {});
    assert.deepEqual(
      (tasks as { session_id: string }[]).map(({ session_id }) => session_id),
      ["s-1"],
    );
  });
}

test("a server killed in the middle of a task loses nothing: the next one has its true result [T6]", async (t) => {
  const folder = await openFolder(t);
  const first = await connect(t, folder);
  const { task_id: id } = await first.call("use_agent", { cli_name: "said", message: waitsFor(join(folder, "go")) });
  await until(
    "it runs",
    async () => (await first.call("get_task_output", { task_id: id }))["answer"] === "It is ",
    patienceMs,
  );
  process.kill(first.pid, "SIGKILL");
  await first.ended;
  await writeFile(join(folder, "go"), "");
  const second = await connect(t, folder);
  assert.deepEqual(await finish(second, id), { status: "completed", result: "It is done." });
});

test("a client that hangs up right after it handed over a job gets the result from another server [T3, T6]", async (t) => {
  const folder = await openFolder(t);
  const first = await connect(t, folder);
  const { task_id: id } = await first.call("use_agent", { cli_name: "said", message: waitsFor(join(folder, "go")) });
  await first.hangUp();
  const second = await connect(t, folder);
  assert.equal((await second.call("get_task_status", { task_id: id }))["status"], "running");
  await writeFile(join(folder, "go"), "");
  assert.deepEqual(await finish(second, id), { status: "completed", result: "It is done." });
});

test("two servers answer for each other's tasks, and one cancels what the other runs [T7]", async (t) => {
  const folder = await openFolder(t);
  const [one, other] = [await connect(t, folder), await connect(t, folder)];
  const { task_id: id } = await one.call("use_agent", { cli_name: "said", message: "sleep 1000" });
  assert.equal((await other.call("get_task_status", { task_id: id }))["status"], "running");
  const { stop_proof: proof, ...cancelled } = await other.call("cancel_task", { task_id: id });
  const error = "Cancelled: by an MCP client";
  assert.deepEqual(cancelled, { task_id: id, state: "cancelled", error });
  assert.match(String(proof), /^(?:namespace|marker|group)$/);
  assert.equal((await one.call("get_task_status", { task_id: id }))["status"], "failed");
});
