import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { z } from "zod";
import { systemClock } from "../../src/core/clock.ts";
import { defineTool } from "../../src/core/define-tool.ts";
import type { Model, ModelRequest } from "../../src/core/model.ts";
import { createTaskToolbox } from "../../src/mcp/server/task-toolbox.ts";
import { createScriptedModel } from "../../packages/testing/src/create-scripted-model.ts";
import type { ScriptTurn } from "../../packages/testing/src/script.ts";
import type { Runtime } from "../../src/runtime/create-runtime.ts";
import type { Settings } from "../../src/config/settings.ts";
import { openTestAgent, resultsIn } from "../support/agent.ts";
import { openRuntime, until } from "../support/runtime.ts";

const agents = { helper: { command: ["sh", "-s"] as [string, ...string[]] } };
const allowed = { agents, permissions: { allow: ["use_agent", "cancel_task"] } };
const useAgent = (message: string, more: object = {}) => ({
  tool: "use_agent",
  input: { cli_name: "helper", message, ...more },
});

/** A model that decides by what it was told. */
function modelThat(reply: (request: ModelRequest, turn: number) => ScriptTurn | string): Model {
  let turn = 0;
  const base = createScriptedModel({ turns: ["unused"] });
  const stream: Model["stream"] = (request) =>
    createScriptedModel({ turns: [reply(request, turn++)], order: "requests" }).stream(request);
  return { ...base, stream };
}

function taskIdIn(request: ModelRequest): string {
  const id = /task_[0-9a-f-]{36}/.exec(JSON.stringify(request.messages))?.[0];
  assert.ok(id, "no task id in the conversation");
  return id;
}

function notesIn({ messages }: ModelRequest): string[] {
  return JSON.stringify(messages).match(/\[Note\] Background task[^"\\]*/g) ?? [];
}

test("an agent starts a background agent, waits for it and reads its result, in the words of MCP [L13] [T1] [T2]", async (t) => {
  const { agent, messages } = await openTestAgent(t, {
    runtime: { settings: allowed },
    model: modelThat((request, turn) => {
      if (turn === 0) return { calls: [useAgent("echo forty-two")] };
      if (turn === 1) return { calls: [{ tool: "wait_for_task", input: { task_id: taskIdIn(request) } }] };
      if (turn === 2) return { calls: [{ tool: "get_task_status", input: { task_id: taskIdIn(request) } }] };
      return `It said: ${notesIn(request).length} notes.`;
    }),
  });
  const end = await agent.send("Ask the helper.");
  const [started, waited, asked] = resultsIn(messages());
  assert.match(started!.text, /^\{"task_id":"task_[0-9a-f-]{36}"\}$/);
  assert.equal(waited!.text, '{"status":"completed","result":"forty-two"}');
  assert.equal(asked!.text, waited!.text);
  // It asked, so it was not told besides.
  assert.equal(end.text, "It said: 0 notes.");
});

test("a task that has ended is told to the model with the next prompt, once [L13]", async (t) => {
  const { agent, requests, runtime } = await openTestAgent(t, {
    runtime: { settings: allowed },
    turns: [{ calls: [useAgent("echo done")] }, "It works.", "Good.", "Bye."],
  });
  await agent.send("Ask the helper.");
  const id = taskIdIn(requests.at(-1)!);
  const tasks = await runtime.tasks();
  await until("its end", async () => (await tasks.wait(id, 1000)).state === "completed", 60_000);
  await agent.send("And?");
  const note = `[Note] Background task ${id} (helper) has ended: completed. get_task_status gives what came of it.`;
  assert.deepEqual(notesIn(requests.at(-1)!), [note]);
  await agent.send("Anything else?");
  assert.deepEqual(notesIn(requests.at(-1)!), [note]);
});

test("a task that ends while the model works is told at the end of that turn [L13]", async (t) => {
  const idle = defineTool({
    name: "idle",
    description: "Waits until every task has ended",
    input: z.object({}),
    traits: { readOnly: true },
    async run() {
      const tasks = await opened.runtime.tasks();
      const haveEnded = async () => (await tasks.list({ limit: 10 })).every(({ state }) => state === "failed");
      await until("all have ended", haveEnded, 60_000);
      return { ok: true, output: "idled" };
    },
  });
  const opened = await openTestAgent(t, {
    runtime: { settings: allowed, tools: [idle] },
    turns: [{ calls: [useAgent("exit 3")] }, { calls: [{ tool: "idle", input: {} }] }, "I saw."],
  });
  await opened.agent.send("Ask the helper, then idle.");
  const last = notesIn(opened.requests[2]!).map((note) => note.replace(/task_\S+/, "ID"));
  assert.deepEqual(last, [
    "[Note] Background task ID (helper) has ended: failed. get_task_status gives what came of it.",
  ]);
});

test("a conversation that was resumed hears of the task that it ordered before [L13]", async (t) => {
  const first = await openTestAgent(t, {
    runtime: { settings: allowed },
    turns: [{ calls: [useAgent("echo later")] }, "Started."],
  });
  await first.agent.send("Ask the helper.");
  const id = taskIdIn(first.requests.at(-1)!);
  const { sessionId } = first.agent;
  await first.agent.close();
  await first.runtime.close();
  const second = await openTestAgent(t, {
    home: first.home,
    session: sessionId,
    runtime: { settings: allowed },
    turns: ["unused", "unused", "I see."],
  });
  const tasks = await second.runtime.tasks();
  await until("its end", async () => (await tasks.wait(id, 1000)).state === "completed", 60_000);
  await second.agent.send("And?");
  assert.equal(notesIn(second.requests.at(-1)!).length, 1);
  // What was offered stays so, whatever the next words are about.
  assert.ok(second.requests.at(-1)!.tools.some(({ name }) => name === "use_agent"));
});

test("an agent cancels a background agent, and nothing of it is left [L13] [T7]", async (t) => {
  const { agent, messages, runtime } = await openTestAgent(t, {
    runtime: { settings: allowed },
    model: modelThat((request, turn) => {
      if (turn === 0) return { calls: [useAgent("sleep 1000")] };
      if (turn === 1)
        return { calls: [{ tool: "cancel_task", input: { task_id: taskIdIn(request), reason: "not needed" } }] };
      return "Stopped.";
    }),
  });
  await agent.send("Ask the helper, then stop it.");
  const [started, cancelled] = resultsIn(messages());
  const { task_id: id } = JSON.parse(started!.text) as { task_id: string };
  const task = await (await runtime.tasks()).get(id);
  assert.deepEqual(JSON.parse(cancelled!.text), {
    task_id: id,
    state: "cancelled",
    stop_proof: task?.stopProof,
    error: "Cancelled: not needed",
  });
  assert.deepEqual([task?.error, task?.door], ["Cancelled: not needed", "agent"]);
  assert.notEqual(task?.stopProof, "none");
});

test("without a rule or a person that allows it no agent is started [L13]", async (t) => {
  const { agent, messages, runtime } = await openTestAgent(t, {
    runtime: { settings: { agents } },
    turns: [{ calls: [useAgent("echo no")] }, "Refused."],
  });
  await agent.send("Ask the helper.");
  assert.equal(resultsIn(messages())[0]?.isError, true);
  assert.deepEqual(await (await runtime.tasks()).list({ limit: 10 }), []);
});

test("a person who is asked sees which agent gets what to do, and where [L13]", async (t) => {
  const previews: (string | undefined)[] = [];
  const open = (settings: Settings) =>
    openTestAgent(t, {
      runtime: {
        settings: { agents, ...settings },
        approve: (request) => {
          previews.push(request.preview?.text);
          return Promise.resolve({ decision: "deny", who: "ann" });
        },
      },
      turns: [{ calls: [useAgent("rm -r build", { args: ["-x"] })] }, "Refused."],
    });
  const { agent, home } = await open({});
  await agent.send("Ask the helper.");
  const sharing = await open({ store: { url: "postgres://127.0.0.1:1/nowhere" } });
  await sharing.agent.send("Ask the helper.");
  assert.deepEqual(
    previews,
    [home, "the workdir of a worker"].map(
      (where) => `Start helper in ${where}, under its own permission rules.\nArguments: ["-x"]\n\nrm -r build`,
    ),
  );
});

test("wrong orders of an agent fail in one sentence, and no task comes of them [L13] [T2]", async (t) => {
  const runtime = await openToolRuntime(t);
  const orders: [object, RegExp][] = [
    [{ cli_name: "helpr", message: "x" }, /^Unknown agent "helpr"\. Did you mean "helper"\? Available: claude, .*$/],
    [{ cli_name: "helper", message: " " }, /^The message is empty\. Say what the agent should do\.$/],
    [{ cli_name: "helper", message: "x", timeout: 0 }, /^Invalid timeout 0 s: expected more than 0 s .*\.$/],
    [{ cli_name: "helper", message: "x", timeout: "10" }, /timeout: expected number, got the string "10"/],
    [{ cli_name: "helper", message: "x", args: "-x" }, /args: expected array, got the string "-x"/],
    [
      { cli_name: "helper", message: "x", cwd: "missing" },
      /^The working directory ".*missing" does not exist\. Create it, or choose another one\.$/,
    ],
    [{ cli_name: "helper", message: "x", model: "m" }, /^helper does not support choosing a model/],
  ];
  for (const [input, sentence] of orders) {
    const { state, error } = await runtime.call("use_agent", input);
    assert.equal(state, "failed", JSON.stringify(input));
    assert.match(error ?? "", sentence);
  }
  const unknown = await runtime.call("get_task_status", { task_id: "task_nobody" });
  assert.equal(unknown.result?.output, '{"status":"not_found","error":"Task ID not found or expired."}');
  for (const tool of ["get_task_output", "cancel_task"]) {
    assert.equal((await runtime.call(tool, { task_id: "task_nobody" })).error, "Task ID not found or expired.");
  }
  const { error } = await runtime.call("list_tasks", { state: "done" });
  assert.equal(
    error,
    '"done" is not a state; there are: queued, running, completed, failed, cancelled, timeout, lost.',
  );
  assert.deepEqual(await (await runtime.tasks()).list({ limit: 10 }), []);
});

test("the tools of the loop answer with the JSON that they answer over MCP [L13] [T7]", async (t) => {
  const runtime = await openToolRuntime(t);
  const { result } = await runtime.call("use_agent", { cli_name: "helper", message: "echo out; echo err >&2; exit 4" });
  const { task_id: id } = JSON.parse(result?.output ?? "") as { task_id: string };
  const tasks = await runtime.tasks();
  await until("its end", async () => (await tasks.wait(id, 1000)).state === "failed", 60_000);
  const toolbox = createTaskToolbox({ desk: () => runtime.tasks(), clock: systemClock });
  const context = { signal: new AbortController().signal, progress: () => undefined };
  for (const [name, input] of [
    ["get_task_status", { task_id: id }],
    ["wait_for_task", { task_id: id }],
    ["get_task_output", { task_id: id }],
    ["list_tasks", { state: "failed", cli_name: "helper" }],
    ["cancel_task", { task_id: id }],
    ["list_agents", {}],
  ] as const) {
    const overMcp = await (await toolbox.find(name))!.call(input, context);
    const here = await runtime.call(name, input);
    assert.deepEqual(JSON.parse(here.result?.output ?? ""), overMcp.structuredContent, name);
  }
});

test("the loop has every tool and every parameter of use_agent that MCP has [L13] [T1] [T7]", async (t) => {
  const runtime = await openToolRuntime(t);
  const toolbox = createTaskToolbox({ desk: () => runtime.tasks(), clock: systemClock });
  const overMcp = (await toolbox.list()).map(({ definition }) => definition);
  const here = runtime.tools.list("agent").filter(({ name }) => overMcp.some((tool) => tool.name === name));
  assert.deepEqual(here.map(({ name }) => name).sort(), overMcp.map(({ name }) => name).sort());
  const isUseAgent = ({ name }: { readonly name: string }): boolean => name === "use_agent";
  const [own, others] = [here.find(isUseAgent)!.inputSchema, overMcp.find(isUseAgent)!.inputSchema];
  assert.deepEqual(Object.keys(Object(own["properties"])).sort(), Object.keys(others.properties!).sort());
});

test("two orders of the loop with one key are one task, and one that may be repeated says so [L13] [T7]", async (t) => {
  const runtime = await openToolRuntime(t);
  const order = { cli_name: "helper", message: "echo once", idempotency_key: "k", idempotent: true };
  const first = await runtime.call("use_agent", order);
  const second = await runtime.call("use_agent", order);
  assert.equal(second.result?.output, first.result?.output);
  const tasks = await (await runtime.tasks()).list({ limit: 10 });
  assert.deepEqual(
    tasks.map(({ order: { isIdempotent } }) => isIdempotent),
    [true],
  );
});

function openToolRuntime(t: TestContext): Promise<Runtime> {
  return openRuntime(t, { settings: allowed });
}
