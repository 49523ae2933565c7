import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { test, type TestContext } from "node:test";
import type { TaskOrder } from "../../../src/core/task.ts";
import { holdSession } from "../../../src/tasks/adapters/acp/acp-session.ts";
import { listAdapters } from "../../../src/tasks/adapters/list-adapters.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { anOrder } from "./an-order.ts";
import { driveAgent, type StartedDrive } from "./drive-agent.ts";

const agentFile = fileURLToPath(new URL("../../fixtures/agents/acp-agent.ts", import.meta.url));

test("an ACP agent is asked, and tells answer, session and progress [T7] [T8]", async (t) => {
  const message = '--help\n"quoted" 🎉';
  const { started, folder } = await drive(t, "answers", { message, systemPrompt: "Be terse.", model: "big" });
  const { verdict, news, sessionId, exit } = await started.ended;
  assert.deepEqual(verdict, { ok: true, text: `You said: Be terse. | ${message} (permission: no)` });
  assert.equal(sessionId, "session-1");
  assert.equal(exit.code, 0);
  assert.deepEqual(news.slice(0, 3), [
    { sessionId: "session-1" },
    { progress: "I look." },
    { progress: "Read notes.txt" },
  ]);
  assert.deepEqual(news.at(-1), { isDone: true });
  assert.deepEqual(started.left(), []);
  const methods = (await readFile(join(folder, "log"), "utf8")).matchAll(/"method":"([^"]+)"/g);
  const chosen = ["initialize", "session/new", "session/set_config_option", "session/prompt"];
  assert.deepEqual(
    [...methods].map(([, method]) => method),
    chosen,
  );
});

test("a permission is given only where the task bypasses them [T8]", async (t) => {
  const { started } = await drive(t, "answers", { bypassesPermissions: true });
  const { verdict } = await started.ended;
  assert.deepEqual(verdict, { ok: true, text: "You said: say hi (permission: yes)" });
});

for (const mode of ["answers", "late"]) {
  test(`a loaded session's old words are no part of the answer (${mode}) [T8]`, async (t) => {
    const { started } = await drive(t, mode, { resume: "session-1" });
    const { verdict, lines } = await started.ended;
    assert.deepEqual(verdict, { ok: true, text: "You said: say hi (permission: no)" });
    assert.doesNotMatch(lines.join("\n"), /long ago/);
  });
}

test("a prompt that an ACP agent answers with an error has failed with its words, and the agent is ended [T8]", async (t) => {
  const { started } = await drive(t, "fails", {});
  const { verdict, news } = await started.ended;
  assert.equal(verdict.ok, false);
  assert.match(JSON.stringify(verdict), /No quota: .*left/);
  assert.deepEqual(news.at(-1), { isDone: true });
  assert.deepEqual(started.left(), []);
});

test("noise between an ACP agent's messages is passed over [T8]", async (t) => {
  const { started } = await drive(t, "garbage", {});
  assert.equal((await started.ended).verdict.ok, true);
});

test("a program that does not speak ACP is not waited for until its time is over [T8]", async () => {
  const streams = { input: new PassThrough(), output: new PassThrough() };
  const order = { message: "x", systemPrompt: null, model: null, cwd: "/", resume: null, bypassesPermissions: false };
  streams.input.write("Welcome! What shall I do?\n");
  const told: unknown[] = [];
  await holdSession(order, { ...streams, helloMs: 20 }, (event) => {
    told.push(event);
    streams.input.end();
  });
  const error = "it did not answer the ACP handshake within 0.02 s";
  assert.deepEqual(told, [{ type: "end", ok: false, error }]);
  assert.equal(streams.output.writableEnded, true);
});

test("an agent that has answered is given its time to end: its last words are read before the driver does [T8]", async () => {
  const streams = { input: new PassThrough(), output: new PassThrough() };
  const order = { message: "x", systemPrompt: null, model: null, cwd: "/", resume: null, bypassesPermissions: false };
  const answers: Record<string, object> = {
    "session/new": { sessionId: "s" },
    "session/prompt": { stopReason: "end_turn" },
  };
  createInterface({ input: streams.output }).on("line", (line) => {
    const { id, method } = JSON.parse(line) as { readonly id: number; readonly method: string };
    streams.input.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] ?? {} })}\n`);
  });
  const happened: string[] = [];
  const held = holdSession(order, streams, ({ type }) => void happened.push(type)).then(() =>
    happened.push("driver ends"),
  );
  await finished(streams.output, { readable: false });
  happened.push("input closed");
  await new Promise((resolve) => setImmediate(resolve));
  happened.push("agent ends");
  streams.input.end();
  await held;
  assert.deepEqual(happened, ["session", "end", "input closed", "agent ends", "driver ends"]);
});

const failing: Readonly<Record<string, readonly [Partial<TaskOrder>, string]>> = {
  refuses: [{}, "mine failed: it stopped early (refusal)."],
  dies: [{}, "mine failed: it ended before it answered."],
  "fails-oddly": [{}, "mine failed: an error without a message: nothing more."],
  "cannot-resume": [{ resume: "session-1" }, "mine failed: it reports that it can't resume sessions."],
};
for (const [mode, [order, error]] of Object.entries(failing)) {
  test(`an ACP agent that ${mode} is a failure in one sentence [T8]`, async (t) => {
    const { started } = await drive(t, mode, order);
    const { verdict, exit } = await started.ended;
    assert.deepEqual(verdict, { ok: false, error });
    assert.notEqual(exit.code, 0);
    assert.deepEqual(started.left(), []);
  });
}

test("an ACP agent that does not exist is a failure that names it [T8]", async (t) => {
  const { started } = await drive(t, "missing", {});
  const { verdict, exit } = await started.ended;
  assert.equal(verdict.ok, false);
  assert.match(exit.errorText, /\/no\/such\/agent/);
});

test("stopping an ACP task ends agent and driver [T8]", async (t) => {
  const { started } = await drive(t, "silent", {});
  const until = Date.now() + 20_000;
  while (started.news().length === 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(started.news(), [{ sessionId: "session-1" }]);
  await started.stop();
  assert.equal((await started.ended).verdict.ok, false);
  assert.deepEqual(started.left(), []);
});

interface Driven {
  readonly started: StartedDrive;
  readonly folder: string;
}

async function drive(t: TestContext, mode: string, order: Partial<TaskOrder>): Promise<Driven> {
  const folder = await temporaryFolder(t);
  const agent: readonly [string, ...string[]] =
    mode === "missing" ? ["/no/such/agent"] : [process.execPath, agentFile, mode, join(folder, "log")];
  const adapters = listAdapters({ own: ["node", "x"], agents: { mine: { command: agent, output: "acp" } } });
  const started = await driveAgent(t, {
    adapter: adapters.get("mine")!,
    order: anOrder({ cwd: folder, ...order }),
    folder,
    env: { PATH: process.env["PATH"]! },
  });
  return { started, folder };
}
