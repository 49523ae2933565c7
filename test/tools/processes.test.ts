import assert from "node:assert/strict";
import { test } from "node:test";
import { createBashTool } from "../../src/tools/shell/bash.ts";
import { createProcessesTool } from "../../src/tools/shell/background-processes.ts";
import { commandsWith } from "../process/support.ts";
import { runTool } from "./run-tool.ts";
import { openShell } from "./shell-parts.ts";

test("a server goes from started to listed, read and stopped [C12]", async (t) => {
  const { parts, workdir, listen } = await openShell(t);
  const bash = createBashTool(parts);
  const processes = createProcessesTool(parts);
  assert.equal((await runTool(processes, { action: "list" }, listen())).output, "No background processes.");

  const command = `echo listening on 80; sleep 300 # ${workdir}`;
  const started = await runTool(bash, { command, background: true, ready_text: "listening" }, listen());
  assert.ok(started.ok, JSON.stringify(started));
  const { id, state } = started.data as { id: string; state: string };
  assert.equal(state, "ready");
  assert.ok(started.output.includes(id));
  assert.match(started.output, /listening on 80/);

  const listed = await runTool(processes, { action: "list" }, listen());
  assert.ok(listed.ok);
  assert.match(listed.output, new RegExp(`^${id}: .*running`));
  const read = await runTool(processes, { action: "read", id }, listen());
  assert.match(read.output!, /listening on 80\n$/);
  const tail = await runTool(processes, { action: "read", id, tail: 3 }, listen());
  assert.match(tail.output!, /earlier bytes left out\]\n80\n$/);

  const context = listen();
  const stopped = await runTool(processes, { action: "stop", id }, context);
  assert.ok(stopped.ok);
  assert.equal(context.reports.length, 1);
  assert.deepEqual(commandsWith(workdir), []);
  assert.match((await runTool(processes, { action: "list" }, listen())).output!, / \(stopped, 16 B of output\)$/);
  const again = await runTool(processes, { action: "stop", id }, listen());
  assert.deepEqual([again.ok, again.output], [true, `${id} had already ended (stopped)`]);
});

test("a log that reached its limit says exactly how much of it was cut, and which setting that is [C12]", async (t) => {
  const { parts, listen } = await openShell(t);
  const command = "head -c 8999992 /dev/zero | tr '\\0' x; echo the end; sleep 300";
  const input = { command, background: true, ready_text: "the end" };
  const started = await runTool(createBashTool(parts), input, listen());
  assert.ok(started.ok);
  const { id } = started.data as { id: string };
  const read = await runTool(createProcessesTool(parts), { action: "read", id, tail: 8 }, listen());
  const note =
    "[8,999,992 earlier bytes left out, 4,161,536 of them cut from the log (limits.max_background_log_bytes)]";
  assert.ok(read.output!.endsWith(`\n${note}\nthe end\n`), read.output);
});

test("stopping what has ended says how it had ended [C12]", async (t) => {
  const { parts, listen } = await openShell(t);
  const processes = createProcessesTool(parts);
  const command = "echo gone; exit 7";
  const started = await runTool(createBashTool(parts), { command, background: true, ready_text: "x" }, listen());
  const { id } = started.data as { id: string };
  const stopped = await runTool(processes, { action: "stop", id }, listen());
  assert.deepEqual([stopped.ok, stopped.output], [true, `${id} had already ended (exit code 7)`]);
});

test("a process is also found by the beginning or the end of its id, when that is its alone [C12]", async (t) => {
  const { parts, listen } = await openShell(t);
  const bash = createBashTool(parts);
  const processes = createProcessesTool(parts);
  for (const executionId of ["call_aaaabbbb1111", "call_aaaacccc2222"]) {
    const started = await runTool(bash, { command: "sleep 300", background: true }, { ...listen(), executionId });
    assert.ok(started.ok);
  }
  const find = async (id: string): Promise<unknown> => {
    const read = await runTool(processes, { action: "read", id }, listen());
    return read.ok ? (read.data as { id: string }).id : read.errorType;
  };
  assert.equal(await find("aaaab"), "call_aaaabbbb1111");
  assert.equal(await find("call_aaaac"), "call_aaaacccc2222");
  assert.equal(await find("2222"), "call_aaaacccc2222");
  assert.equal(await find("aaaa"), "not_unique");
  assert.equal(await find("222"), "not_found");
  assert.equal(await find("call_"), "not_found");
});

test("one that ends at once is a failure with its output [C12]", async (t) => {
  const { parts, listen } = await openShell(t);
  const command = "echo port in use >&2; exit 7";
  const result = await runTool(createBashTool(parts), { command, background: true, ready_text: "never" }, listen());
  assert.ok(!result.ok);
  assert.match(result.error, /exited with code 7/);
  assert.equal(result.output, "port in use\n");
});

test("one that does not get ready in time runs on, and that is said [C12]", async (t) => {
  const { parts, listen } = await openShell(t);
  const input = { command: "sleep 300", background: true, ready_text: "never", timeout: 0.2 };
  const result = await runTool(createBashTool(parts), input, listen());
  assert.ok(result.ok);
  assert.match(result.output, /did not get ready in time/);
});

test("an id that is none, or missing, is a clear failure [C12]", async (t) => {
  const { parts, listen } = await openShell(t);
  const processes = createProcessesTool(parts);
  for (const action of ["read", "stop"]) {
    const missing = await runTool(processes, { action }, listen());
    assert.ok(!missing.ok && missing.error.startsWith("Missing parameters: id"));
    const unknown = await runTool(processes, { action, id: "../../etc" }, listen());
    assert.ok(!unknown.ok);
    assert.equal(unknown.errorType, "not_found");
  }
});
