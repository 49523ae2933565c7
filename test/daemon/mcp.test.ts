import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Question } from "../../src/core/approval.ts";
import { defineTool } from "../../src/core/define-tool.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";
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

const asking = defineTool({
  name: "asking",
  description: "Ask the person.",
  traits: { readOnly: true },
  input: z.object({ question: z.any() }),
  run: async ({ question }, { ask }) => ({ ok: true, output: JSON.stringify(await ask(question as Question)) }),
});

interface Row {
  readonly id: string;
  readonly [key: string]: unknown;
}

async function ask(client: Client, name: string, input: object = {}) {
  const answer = await client.callTool({ name, arguments: { ...input } });
  const [part] = answer.content;
  return { text: part?.type === "text" ? part.text : "", data: answer.structuredContent, isError: answer.isError };
}

function waitingRow(client: Client): Promise<Row> {
  return until("something waits", async () => {
    const { data } = await ask(client, "list_inbox");
    return (data as { readonly entries: readonly Row[] }).entries[0];
  });
}

test("with the inbox offered, an MCP client passes a person's answer on to the call that asks [L7]", async (t) => {
  const world = await openDaemon(t, { offersInbox: true, config: { tools: [asking] } });
  const client = await connect(t, world);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(names.slice(7), ["list_inbox", "answer_question"]);
  const call = world.runtime.call("asking", { question: { text: "Which?", options: ["red", "blue"] } });
  const { created_at: at, ...row } = await waitingRow(client);
  assert.match(String(at), /^\d{4}-\d\d-\d\dT.+Z$/);
  assert.deepEqual(row, {
    id: row.id,
    kind: "question",
    tool: "asking",
    question: "Which?",
    options: ["red", "blue"],
    multiple: false,
    other: false,
    can_answer: true,
  });
  const wrong = await ask(client, "answer_question", { id: row.id, options: [3] });
  assert.deepEqual([wrong.isError, wrong.text], [true, "There is no option 3; choose 1 to 2."]);
  const { data } = await ask(client, "answer_question", { id: row.id, options: [2] });
  assert.deepEqual(data, { id: row.id, state: "answered", answer: "blue" });
  assert.deepEqual(JSON.parse((await call).result?.output ?? ""), { answered: true, text: "blue", selected: ["blue"] });
  assert.equal((await world.runtime.inbox.get(row.id))?.settlement?.who, "mcp");
  assert.deepEqual((await ask(client, "list_inbox")).data, { entries: [] });
  const again = await ask(client, "answer_question", { id: row.id, options: [1] });
  assert.deepEqual([again.isError, again.text], [true, "It is settled already: answered by mcp."]);
});

test("an MCP client sees an approval, and can't give it [L7, G6]", async (t) => {
  const world = await openDaemon(t, { offersInbox: true });
  const client = await connect(t, world);
  const call = world.runtime.call("bash", { command: "rm -rf backups" });
  const row = await waitingRow(client);
  assert.deepEqual(
    [row["kind"], row["detail"], row["is_danger"], row["can_answer"]],
    ["approval", "rm -rf backups", true, false],
  );
  for (const given of [{ text: "yes" }, { options: [1] }, { text: "approve" }]) {
    const { isError, text } = await ask(client, "answer_question", { id: row.id, ...given });
    assert.equal(isError, true);
    assert.match(text, /^This is an approval, which only a person gives: .+ `deckhand inbox approve ask_\S+`/);
  }
  assert.equal((await world.runtime.inbox.get(row.id))?.state, "waiting");
  await world.runtime.cancel(call.id);
  assert.equal((await call).state, "cancelled");
});

test("what an MCP client's own call asks is not answered by MCP: nobody answers itself [L7, G6]", async (t) => {
  const world = await openDaemon(t, { offersInbox: true, exposesTools: true, config: { tools: [asking] } });
  const client = await connect(t, world);
  const called = ask(client, "asking", { question: { text: "May I?" } });
  const row = await waitingRow(client);
  assert.equal(row["can_answer"], false);
  const { isError, text } = await ask(client, "answer_question", { id: row.id, text: "yes" });
  assert.equal(isError, true);
  assert.match(text, /^This was asked by a call that came by MCP itself, so only a person answers it: /);
  const settled = await world.runtime.inbox.answer(row.id, { text: "no" }, "kim");
  assert.equal(settled.ok, true);
  assert.equal((await called).text, '{"answered":true,"text":"no"}');
});
