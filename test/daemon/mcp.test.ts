import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterTest } from "../support/after-test.ts";
import { openDaemon, type DaemonUnderTest } from "./support/daemon.ts";

async function connect(t: TestContext, { daemon, folders }: DaemonUnderTest): Promise<Client> {
  const token = readFileSync(join(folders.state, "mcp-token"), "utf8").trim();
  const client = new Client({ name: "test", version: "0" }, { capabilities: {} });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`), { requestInit }));
  afterTest(t, () => client.close());
  return client;
}

test("MCP clients use the daemon's own tasks, and the API shows the same ones [D2, T1]", async (t) => {
  const settings = { agents: { shell: { command: ["sh", "-s"] as [string, ...string[]] } } };
  const world = await openDaemon(t, { config: { settings } });
  const client = await connect(t, world);
  const started = await client.callTool({ name: "use_agent", arguments: { cli_name: "shell", message: "echo done" } });
  const { task_id: id } = started.structuredContent as { readonly task_id: string };
  const waited = await client.callTool({ name: "wait_for_task", arguments: { task_id: id, timeout: 45 } });
  assert.deepEqual(waited.structuredContent, { status: "completed", result: "done" });
  const { status, json } = await world.ask({ path: `/api/tasks/${id}` });
  assert.deepEqual([status, json()["state"]], [200, "completed"]);
});

test("the catalog's own tools are offered where that was asked for, and run as calls by MCP [D2, T1]", async (t) => {
  const closed = await openDaemon(t);
  assert.equal((await (await connect(t, closed)).listTools()).tools.length, 7);
  const open = await openDaemon(t, { exposesTools: true });
  const client = await connect(t, open);
  assert.ok((await client.listTools()).tools.some(({ name }) => name === "bash"));
  await client.callTool({ name: "list_files", arguments: {} });
  const [execution] = await open.runtime.list();
  assert.deepEqual([execution?.toolName, execution?.door, execution?.state], ["list_files", "mcp", "completed"]);
});
