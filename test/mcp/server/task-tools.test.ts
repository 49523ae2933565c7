import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createScriptedDesk, type ScriptedDesk } from "./support/scripted-desk.ts";
import { openPipe, type CallAnswer, type Pipe } from "./support/open-pipe.ts";
import { partsOf } from "./support/server-parts.ts";

async function open(t: TestContext): Promise<{ readonly desk: ScriptedDesk; readonly pipe: Pipe }> {
  const desk = createScriptedDesk();
  return { desk, pipe: await openPipe(t, partsOf(desk), { era: "legacy" }) };
}

/** The whole answer, as it stands on the wire. */
function plain(text: string): CallAnswer {
  return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) };
}

function refused(text: string): CallAnswer {
  return { content: [{ type: "text", text }], isError: true };
}

interface Listed {
  readonly name: string;
  readonly annotations: object;
  readonly inputSchema: { readonly required?: readonly string[]; readonly properties: object };
  readonly outputSchema: { readonly type: string };
}

test("every tool is listed once, with the inputs its users know, an output schema and annotations [T1, T7]", async (t) => {
  const { pipe } = await open(t);
  const { result } = await pipe.request("tools/list");
  const tools = result!["tools"] as Listed[];
  assert.deepEqual(
    tools.map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema.properties).join(" "),
      inputSchema.required ?? [],
    ]),
    [
      [
        "use_agent",
        "cli_name message system_prompt args timeout cwd model resume idempotency_key idempotent",
        ["cli_name", "message"],
      ],
      ["get_task_status", "task_id", ["task_id"]],
      ["wait_for_task", "task_id timeout", ["task_id"]],
      ["get_task_output", "task_id from limit", ["task_id"]],
      ["list_tasks", "state cli_name limit before", []],
      ["cancel_task", "task_id reason", ["task_id"]],
      ["list_agents", "", []],
    ],
  );
  const looks = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
  assert.deepEqual(hints, {
    use_agent: {
      title: "Start a background agent",
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    get_task_status: { title: "Ask how a task is", ...looks },
    wait_for_task: { title: "Wait for a task", ...looks },
    get_task_output: { title: "Read a task's output", ...looks },
    list_tasks: { title: "List the tasks", ...looks },
    cancel_task: {
      title: "Cancel a task",
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    list_agents: { title: "List the agents", ...looks },
  });
  for (const { name, outputSchema } of tools) assert.equal(outputSchema.type, "object", name);
});

test("use_agent passes on all that was asked for and answers with the task's id alone [T1]", async (t) => {
  const { desk, pipe } = await open(t);
  const answer = await pipe.call("use_agent", {
    cli_name: "claude",
    message: "-rf is no option\nhere",
    system_prompt: "Be brief.",
    args: ["--verbose"],
    timeout: 0.5,
    cwd: "sub",
    model: "small",
    resume: "session-1",
    idempotency_key: "once",
    idempotent: true,
  });
  const [task] = await desk.list({ limit: 1 });
  assert.deepEqual(answer, plain(`{"task_id":"${task!.id}"}`));
  assert.deepEqual(desk.requests, [
    {
      agent: "claude",
      message: "-rf is no option\nhere",
      systemPrompt: "Be brief.",
      args: ["--verbose"],
      timeoutMs: 500,
      cwd: "sub",
      model: "small",
      resume: "session-1",
      idempotencyKey: "once",
      isIdempotent: true,
      door: "mcp",
    },
  ]);
});

test("what is left out of use_agent is left to the desk [T1]", async (t) => {
  const { desk, pipe } = await open(t);
  await pipe.call("use_agent", { cli_name: "codex", message: "go" });
  assert.deepEqual(desk.requests, [
    {
      agent: "codex",
      message: "go",
      systemPrompt: null,
      args: [],
      model: null,
      resume: null,
      idempotencyKey: null,
      door: "mcp",
    },
  ]);
});

test("a use_agent that can't be is refused in one sentence, and no task comes of it [T1, T2]", async (t) => {
  const { desk, pipe } = await open(t);
  const order = { cli_name: "claude", message: "go" };
  const wrong: [object, string][] = [
    [{}, "use_agent was not run: cli_name is missing; message is missing."],
    [{ ...order, timeout: "10" }, 'use_agent was not run: timeout: expected number, got the string "10".'],
    [
      { ...order, timeout: 0 },
      "use_agent was not run: timeout: expected a number of seconds greater than 0, got the number 0.",
    ],
    [
      { ...order, timeout: -1 },
      "use_agent was not run: timeout: expected a number of seconds greater than 0, got the number -1.",
    ],
    [
      { ...order, timeout: 1e9 },
      "use_agent was not run: timeout: expected at most 86400 seconds (24 hours), got the number 1000000000.",
    ],
    [{ ...order, args: "--yolo" }, 'use_agent was not run: args: expected array, got the string "--yolo".'],
    [{ ...order, idempotent: "yes" }, 'use_agent was not run: idempotent: expected boolean, got the string "yes".'],
    [{ ...order, args: [1] }, "use_agent was not run: args[0]: expected string, got the number 1."],
    [
      { ...order, message: "" },
      'use_agent was not run: message: expected a text that is not empty, got the string "".',
    ],
    [{ ...order, time_out: 5 }, 'use_agent was not run: it has no parameter "time_out" (did you mean timeout?).'],
    [{ ...order, cli_name: "nobody" }, 'There is no agent "nobody".'],
  ];
  for (const [input, sentence] of wrong) assert.deepEqual(await pipe.call("use_agent", input), refused(sentence));
  assert.deepEqual(desk.requests, []);
});

test("get_task_status answers in exactly four shapes [T2]", async (t) => {
  const { desk, pipe } = await open(t);
  const running = desk.put({ state: "running", createdAt: Date.now() + 60_000 });
  const completed = desk.put({ state: "completed", result: "Fixed." });
  const failed = desk.put({ state: "timeout", error: "Stopped after 60 s." });
  const said = (id: string): Promise<CallAnswer> => pipe.call("get_task_status", { task_id: id });
  assert.deepEqual(await said(running.id), plain('{"status":"running","elapsed_time":0}'));
  assert.deepEqual(await said(completed.id), plain('{"status":"completed","result":"Fixed."}'));
  assert.deepEqual(await said(failed.id), plain('{"status":"failed","error":"Stopped after 60 s."}'));
  assert.deepEqual(await said("task_0"), plain('{"status":"not_found","error":"Task ID not found or expired."}'));
  assert.deepEqual(await said(""), plain('{"status":"not_found","error":"Task ID not found or expired."}'));
});

test("what can't be known is an error of the tool, not a fifth shape [T2]", async (t) => {
  const { desk, pipe } = await open(t);
  desk.breakWith("The store can't be reached.");
  assert.deepEqual(await pipe.call("get_task_status", { task_id: "task_0" }), refused("The store can't be reached."));
  assert.deepEqual(
    await pipe.call("get_task_status", { task_id: 7 }),
    refused("get_task_status was not run: task_id: expected string, got the number 7."),
  );
});

test("wait_for_task answers as soon as the task has ended, in the shapes of get_task_status [T7]", async (t) => {
  const { desk, pipe } = await open(t);
  const { id } = desk.put({ state: "running" });
  const waited = pipe.call("wait_for_task", { task_id: id, timeout: 45 });
  desk.change(id, { state: "completed", result: "At last." });
  assert.deepEqual(await waited, plain('{"status":"completed","result":"At last."}'));
  const missing = await pipe.call("wait_for_task", { task_id: "task_0" });
  assert.deepEqual(missing, plain('{"status":"not_found","error":"Task ID not found or expired."}'));
});

test("wait_for_task waits 45 s at most, and not at all when told so [T7]", async (t) => {
  const { desk, pipe } = await open(t);
  const { id } = desk.put({ state: "running", createdAt: Date.now() + 60_000 });
  assert.deepEqual(
    await pipe.call("wait_for_task", { task_id: id, timeout: 0 }),
    plain('{"status":"running","elapsed_time":0}'),
  );
  assert.deepEqual(
    await pipe.call("wait_for_task", { task_id: id, timeout: 46 }),
    refused(
      "wait_for_task was not run: timeout: expected at most 45 seconds; call it again to wait longer, got the number 46.",
    ),
  );
});

test("a wait that the client gives up is not answered, and the task goes on [T7]", async (t) => {
  const { desk, pipe } = await open(t);
  const { id } = desk.put({ state: "running" });
  const progressToken = "p";
  pipe.send({
    jsonrpc: "2.0",
    id: "w",
    method: "tools/call",
    params: { name: "wait_for_task", arguments: { task_id: id, timeout: 45 }, _meta: { progressToken } },
  });
  desk.change(id, { progress: "Reading files" });
  const told = await pipe.other(({ method }) => method === "notifications/progress");
  assert.match(String(told.params!["message"]), /^running for \d+ s: Reading files$/);
  pipe.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "w" } });
  assert.equal((await pipe.call("list_tasks", { state: "running" })).isError, undefined);
  assert.equal((await desk.get(id))?.state, "running");
  assert.deepEqual(desk.cancelled, []);
  assert.equal(pipe.others.filter((message) => message.id === "w").length, 0);
});

test("cancel_task ends a task and says how it ended and how that was proved; of an unknown one it says so [T7]", async (t) => {
  const { desk, pipe } = await open(t);
  const { id } = desk.put({ state: "running" });
  assert.deepEqual(
    await pipe.call("cancel_task", { task_id: id, reason: "Not needed." }),
    plain(`{"task_id":"${id}","state":"cancelled","stop_proof":"group","error":"Not needed."}`),
  );
  assert.deepEqual(desk.cancelled, [{ id, reason: "Not needed." }]);
  const done = desk.put({ state: "completed" });
  assert.deepEqual(
    await pipe.call("cancel_task", { task_id: done.id }),
    plain(`{"task_id":"${done.id}","state":"completed"}`),
  );
  assert.deepEqual(await pipe.call("cancel_task", { task_id: "task_0" }), refused("Task ID not found or expired."));
});

test("list_tasks tells of each task what it is known by, newest first [T7]", async (t) => {
  const { desk, pipe } = await open(t);
  desk.put({ state: "failed", error: "No." }, { agent: "codex" });
  const stopped = desk.put({ state: "timeout", error: "Stopped after 60 s.", stopProof: "namespace" }, { agent: "pi" });
  const task = desk.put(
    {
      state: "completed",
      createdAt: 1000,
      startedAt: 2000,
      activeAt: 3000,
      completedAt: 4500,
      sessionId: "s-1",
      progress: "Done",
    },
    { message: "x".repeat(500), model: "small" },
  );
  const { structuredContent } = await pipe.call("list_tasks", { cli_name: "claude", limit: 5 });
  assert.deepEqual(structuredContent, {
    tasks: [
      {
        task_id: task.id,
        cli_name: "claude",
        state: "completed",
        message: "x".repeat(200),
        cwd: "/project",
        model: "small",
        created_at: "1970-01-01T00:00:01.000Z",
        started_at: "1970-01-01T00:00:02.000Z",
        completed_at: "1970-01-01T00:00:04.500Z",
        active_at: "1970-01-01T00:00:03.000Z",
        elapsed_time: 3,
        progress: "Done",
        session_id: "s-1",
        attempt: 1,
      },
    ],
  });
  const { tasks } = (await pipe.call("list_tasks", { cli_name: "pi" })).structuredContent as { tasks: object[] };
  assert.partialDeepStrictEqual(tasks, [
    { task_id: stopped.id, state: "timeout", error: "Stopped after 60 s.", stop_proof: "namespace" },
  ]);
});

test("get_task_output says how the task stands and which session it is; list_agents who can be asked [T7, T8]", async (t) => {
  const desk = createScriptedDesk({
    output: { text: "line\n", from: 0, next: 5, totalBytes: 9, errorText: "warned", answer: "Half an" },
    agents: [{ name: "pi", title: "pi", isInstalled: false, install: "npm install -g pi", canResume: true, limit: 4 }],
  });
  const pipe = await openPipe(t, partsOf(desk), { era: "legacy" });
  const { id } = desk.put({ state: "running" });
  const output = '{"text":"line\\n","from":0,"next":5,"total_bytes":9,"answer":"Half an","error_text":"warned"';
  assert.deepEqual(await pipe.call("get_task_output", { task_id: id }), plain(`${output},"state":"running"}`));
  desk.change(id, { state: "lost", progress: "Reading files", sessionId: "s-1" });
  assert.deepEqual(
    await pipe.call("get_task_output", { task_id: id }),
    plain(`${output},"state":"lost","progress":"Reading files","session_id":"s-1"}`),
  );
  assert.deepEqual(await pipe.call("get_task_output", { task_id: "task_0" }), refused("Task ID not found or expired."));
  assert.deepEqual(
    await pipe.call("list_agents"),
    plain(
      '{"agents":[{"name":"pi","title":"pi","installed":false,"install":"npm install -g pi","can_resume":true,"limit":4}]}',
    ),
  );
});

test("get_task_output stays of a size that can be read, however long the answer is [T7]", async (t) => {
  const answer = `begins ${"x".repeat(4_000_000)} ends`;
  const desk = createScriptedDesk({ output: { text: "x", from: 0, next: 1, totalBytes: 9, errorText: "", answer } });
  const pipe = await openPipe(t, partsOf(desk), { era: "legacy" });
  const { id } = desk.put({ state: "completed", result: answer });
  const { structuredContent } = await pipe.call("get_task_output", { task_id: id, limit: 1 });
  const told = (structuredContent as { readonly answer: string }).answer;
  assert.ok(told.length <= 65_536, String(told.length));
  assert.match(told, /^begins x+\n… \[\d+ characters cut\] …\nx+ ends$/);
  const status = await pipe.call("get_task_status", { task_id: id });
  assert.deepEqual(status.structuredContent, { status: "completed", result: answer });
});

test("what is missing is told together with the word that stands in its place [T2]", async (t) => {
  const { pipe } = await open(t);
  assert.deepEqual(
    await pipe.call("get_task_status", { taskId: "task_0" }),
    refused('get_task_status was not run: task_id is missing; it has no parameter "taskId" (did you mean task_id?).'),
  );
});

test("a tool that is not there is an error of the protocol that names the nearest [T3]", async (t) => {
  const { pipe } = await open(t);
  const { error } = await pipe.request("tools/call", { name: "use_agnt", arguments: {} });
  assert.deepEqual(error, { code: -32_602, message: "Unknown tool: use_agnt; did you mean use_agent?" });
});
