import assert from "node:assert/strict";
import { before, test } from "node:test";
import { defineTool, type ApprovalRequest, type Runtime, type RuntimeEvent } from "deckhand";
import { z } from "zod";
import { countProcesses, uniqueSeconds } from "../cli/processes-named.ts";
import {
  echoTool,
  openCommand,
  openLibrary,
  parseLines,
  throwTool,
  until,
  waitTool,
  wholeFile,
  type Command,
} from "./seed-support.ts";

// Source document 000: permission, how a call fails, events, and how it is stopped.

const deafTool = defineTool({
  name: "deaf",
  description: "Ignores its signal.",
  input: z.object({}),
  run: () => new Promise<never>(() => undefined),
});

let runtime: Runtime;
let command: Command;
const asked: ApprovalRequest[] = [];
let answer: "allow" | "deny" = "allow";

before(async () => {
  runtime = await openLibrary(wholeFile, {
    tools: [waitTool, echoTool, throwTool, deafTool],
    files: { "a.txt": "hello\n" },
    async approve(request) {
      asked.push(request);
      return answer === "allow" ? { decision: "allow", scope: "once", who: "test" } : { decision: "deny", who: "test" };
    },
  });
  command = await openCommand(wholeFile, { files: { "a.txt": "hello\n" } });
});

test("0-30 an unknown tool fails, and the nearest name is suggested", async () => {
  const { state, error, result } = await runtime.call("raed", {});
  assert.deepEqual({ state, error }, { state: "failed", error: "Unknown tool: raed" });
  assert.equal(result?.ok === false && result.hint, "Did you mean read?");
  const { result: far } = await runtime.call("nosuch", {});
  assert.match((far?.ok === false && far.hint) || "", /\bread\b.*\bwrite\b.*\bbash\b/);
});

test("0-31 permission is asked before the run, with a title and a diff", async () => {
  answer = "allow";
  const { state } = await runtime.call("write", { file_path: "n.txt", content: "new\n" }, { door: "agent" });
  const { title, preview } = asked.at(-1)!;
  assert.deepEqual({ state, title }, { state: "completed", title: "Write n.txt" });
  assert.match(preview?.diff ?? "", /^\+\+\+ b\/n\.txt$[\s\S]*^\+new$/m);
});

test("0-32 a call that the user denies is cancelled, and was never started", async () => {
  answer = "deny";
  const call = await runtime.call("write", { file_path: "no.txt", content: "x" }, { door: "agent" });
  const { state, error, runPhase } = call;
  assert.deepEqual(
    { state, error, runPhase },
    { state: "cancelled", error: "User denied permission", runPhase: "not_started" },
  );
});

test("0-33 a call that timed out or was cancelled is never a success, whatever its tool returned", async () => {
  const late = await runtime.call("wait", {}, { timeoutMs: 20 });
  assert.deepEqual([late.state, late.error], ["timeout", "Timeout after 0.02 s"]);
  assert.deepEqual(late.result, { ok: false, error: "Timeout after 0.02 s", output: "partial" });
  const call = runtime.call("wait", { name: "0-33" });
  await until("it runs", async () => (await runtime.get(call.id))?.runPhase === "started");
  await runtime.cancel(call.id, "No longer needed");
  const cancelled = await call;
  assert.deepEqual([cancelled.state, cancelled.error], ["cancelled", "No longer needed"]);
  assert.deepEqual(cancelled.result, { ok: false, error: "No longer needed", output: "partial" });
  const input = '{"command":"echo begun; sleep 301"}';
  const record = await command.json(["tool", "bash", input, "--timeout", "1"]);
  assert.deepEqual([record.state, record.result.ok, record.result.error], ["timeout", false, "Timeout after 1 s"]);
  assert.match(record.result.output, /^begun\n/);
});

test("0-34 a cancelled call says Cancelled, or the reason that was given", async () => {
  const first = runtime.call("wait", { name: "0-34" });
  await runtime.cancel(first.id);
  assert.match((await first).error!, /^Cancelled/);
  const second = runtime.call("wait", { name: "0-34" });
  await runtime.cancel(second.id, "Wrong branch");
  assert.deepEqual([(await second).state, (await second).error], ["cancelled", "Wrong branch"]);
});

test("0-35 what a tool throws is the call's failure", async () => {
  const { state, error, errorType } = await runtime.call("throw", { text: "boom" });
  assert.deepEqual({ state, error, errorType }, { state: "failed", error: "boom", errorType: "threw" });
});

test("0-36 missing parameters are named, with what to send", async () => {
  const write = await runtime.call("write", {});
  assert.equal(write.error, "Missing parameters: file_path, content");
  assert.match(
    (write.result?.ok === false && write.result.hint) || "",
    /^For "write" send file_path \(string\).*content \(string\)/,
  );
  const edit = await runtime.call("edit", { file_path: "a.txt" });
  assert.equal(edit.error, "Missing parameters: old_string, new_string");
});

test("0-37 the events of a start have id, tool name and input", async () => {
  const seen: RuntimeEvent[] = [];
  const off = [
    runtime.on("execution:created", (event) => void seen.push(event)),
    runtime.on("execution:started", (event) => void seen.push(event)),
  ];
  const { id } = await runtime.call("Echo", { text: "0-37" });
  off.forEach((each) => each());
  assert.deepEqual(
    seen.map((event) => {
      const { type, id: of, toolName, toolInput } = event as RuntimeEvent<"execution:started">;
      return { type, id: of, toolName, toolInput };
    }),
    [
      { type: "execution:created", id, toolName: "Echo", toolInput: { text: "0-37" } },
      { type: "execution:started", id, toolName: "Echo", toolInput: { text: "0-37" } },
    ],
  );
  const { stdout } = await command.run(["tool", "Read_File", '{"file_path":"a.txt"}', "--events"]);
  const started = parseLines(stdout).find(({ type }) => type === "execution:started")!;
  assert.deepEqual([started["tool_name"], started["tool_input"]], ["Read_File", { file_path: "a.txt" }]);
});

test("0-38 the event of an end has state and duration", async () => {
  const ended: RuntimeEvent<"execution:settled">[] = [];
  const off = runtime.on("execution:settled", (event) => void ended.push(event));
  const { id, durationMs } = await runtime.call("echo", { text: "0-38" });
  await until("it is announced", () => ended.length > 0);
  off();
  const [event] = ended;
  assert.deepEqual(
    [event!.id, event!.toolName, event!.state, event!.durationMs],
    [id, "echo", "completed", durationMs],
  );
});

test("0-39 a stopped command leaves no process behind, also none that left its group", async () => {
  const seconds = uniqueSeconds();
  const shell = `sleep ${seconds} & (setsid sleep ${seconds} &); sleep ${seconds}`;
  const { state, stopProof, survivors } = await runtime.call("bash", { command: shell }, { timeoutMs: 1500 });
  assert.deepEqual([state, survivors, countProcesses(seconds)], ["timeout", [], 0]);
  assert.ok(stopProof === "marker" || stopProof === "namespace", `${stopProof}`);
});

test("0-40 a tool stops by its signal, and one that ignores it is named as perhaps running", async () => {
  const good = await runtime.call("wait", { name: "0-40" }, { timeoutMs: 20 });
  assert.deepEqual([good.state, good.stopProof], ["timeout", "cooperative"]);
  const deaf = await runtime.call("deaf", {}, { timeoutMs: 20 });
  assert.deepEqual([deaf.state, deaf.stopProof], ["timeout", "none"]);
  assert.match(deaf.error!, /may still be running/);
});

test("0-41 (differs) there is no call that blocks: every one is a promise that has its id at once", async () => {
  const call = runtime.call("echo", { text: "0-41" });
  assert.ok(call instanceof Promise);
  assert.equal((await call).id, call.id);
});

test("0-42 a library call takes a few lines, and never rejects for what a tool did", async (t) => {
  const own = await openLibrary(t, { files: { "b.txt": "text\n" } });
  assert.equal((await own.call("read", { file_path: "b.txt" })).state, "completed");
  assert.equal((await own.call("read", { file_path: "missing.txt" })).state, "failed");
});

test("0-43 what a call did can be looked up afterwards: record, log and events", async () => {
  const { stdout } = await command.run(["tool", "read", '{"file_path":"a.txt"}', "--events"]);
  const events = parseLines(stdout);
  const { id } = events.at(-1)!;
  assert.match((await command.run(["calls", "show", id])).stdout, /completed[\s\S]*read[\s\S]*a\.txt/);
  const log = await command.run(["log", "show", id]);
  assert.deepEqual([log.code, log.stdout.includes("a.txt")], [0, true]);
  const types = (await command.log()).filter((line) => line["id"] === id || line["call_id"] === id);
  assert.deepEqual(
    types.map(({ type }) => type),
    ["tool_call", "tool_result", "audit"],
  );
});
