import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterTest } from "../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { until } from "../tasks/support/until.ts";
import { openMachine, deckhand } from "./run-deckhand.ts";
import { openTasksMachine, waitsForGo } from "./tasks-machine.ts";

type Answer = Readonly<Record<string, unknown>>;
type Call = (name: string, input?: Record<string, unknown>) => Promise<Answer>;

const patienceMs = 120_000;

/** A client of a server on a machine of its own, which has no agent in its settings. */
async function openServer(t: TestContext, address: string): Promise<Call> {
  const { workdir, env } = await openMachine(t);
  env["DECKHAND_STORE_SCOPE"] = "shop";
  const args = [...deckhand, "mcp", "--workdir", workdir, "--store", address];
  const client = new Client({ name: "test", version: "0" }, { capabilities: {} });
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "pipe" });
  await client.connect(transport, { timeout: patienceMs });
  afterTest(t, () => client.close());
  return async (name, input = {}) => {
    const { content, structuredContent } = await client.callTool({ name, arguments: input }, { timeout: patienceMs });
    assert.ok(structuredContent, JSON.stringify(content));
    return structuredContent as Answer;
  };
}

describe("servers that share a store", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  test("what is ordered at one server is asked about, read, waited for and cancelled at another [T1] [T2] [T3] [T4]", async (t) => {
    const address = await server.createDatabase();
    const there = await openTasksMachine(t, { store: { scope: "shop" } });
    const worker = there.start(["worker", "--json", "--store", address]);
    afterTest(t, async () => void worker.child.kill("SIGKILL"));
    const [one, two] = await Promise.all([openServer(t, address), openServer(t, address)]);
    await until(() => worker.stdout().includes("worker:ready"), "the worker");

    const { agents } = (await two("list_agents")) as { agents: readonly { name: string; installed: boolean }[] };
    assert.equal(agents.find(({ name }) => name === "shell")?.installed, true);
    const { task_id: id } = await one("use_agent", { cli_name: "shell", message: waitsForGo });
    const { status, elapsed_time: elapsed } = await two("get_task_status", { task_id: id });
    assert.deepEqual([status, typeof elapsed], ["running", "number"]);
    await until(async () => (await two("get_task_output", { task_id: id }))["text"] === "one\n", "its output");
    await writeFile(join(there.workdir, "go"), "");
    assert.deepEqual(await two("wait_for_task", { task_id: id, timeout: 45 }), {
      status: "completed",
      result: "one\ntwo",
    });

    const { task_id: endless } = await one("use_agent", { cli_name: "shell", message: "echo begun; sleep 600" });
    await until(async () => (await two("get_task_output", { task_id: endless }))["total_bytes"] === 6, "its beginning");
    const { state } = await two("cancel_task", { task_id: endless, reason: "enough" });
    assert.equal(state, "cancelled");
    assert.deepEqual(await one("get_task_status", { task_id: endless }), {
      status: "failed",
      error: "Cancelled: enough",
    });
  });
});
