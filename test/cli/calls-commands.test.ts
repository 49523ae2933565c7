import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openMachine, type Machine } from "./run-deckhand.ts";
import { until } from "../support/runtime.ts";
import { countProcesses, uniqueSeconds, untilProcesses } from "./processes-named.ts";

interface Call {
  readonly id: string;
  readonly tool_id: string | null;
  readonly state: string;
  readonly error: string | null;
  readonly stop_proof: string | null;
}

async function list(machine: Machine, ...args: string[]): Promise<Call[]> {
  const { code, stdout } = await machine.run(["calls", "list", "--json", ...args]);
  assert.equal(code, 0);
  return JSON.parse(stdout) as Call[];
}

describe("calls list", () => {
  test("shows the last ten calls, newest first, and filters by state and tool [E5]", async (t) => {
    const machine = await openMachine(t);
    await writeFile(join(machine.workdir, "a.txt"), "one");
    await machine.run(["tool", "read", '{"file_path":"a.txt"}']);
    await machine.run(["tool", "read", '{"file_path":"none"}']);
    await machine.run(["tool", "list_files"]);
    const states = (calls: Call[]): string[] => calls.map(({ tool_id, state }) => `${tool_id} ${state}`);
    assert.deepEqual(states(await list(machine)), ["list_files completed", "read failed", "read completed"]);
    assert.deepEqual(states(await list(machine, "--limit", "1")), ["list_files completed"]);
    assert.deepEqual(states(await list(machine, "--tool", "Read_File")), ["read failed", "read completed"]);
    assert.deepEqual(states(await list(machine, "--state", "failed", "--state", "timeout")), ["read failed"]);
    assert.deepEqual(states(await list(machine, "--running")), []);

    const { code, stdout, stderr } = await machine.run(["calls"]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    const [header, ...rows] = stdout.trimEnd().split("\n");
    assert.match(header!, /^ID +TOOL +STATE +AGE +ELAPSED +SUMMARY$/);
    assert.match(rows[0]!, /^call_[0-9a-f-]{36} +list_files +completed +(now|\d+ s) +[<\d.]+ m?s$/);
    assert.match(rows[1]!, /read +failed .* none → none does not exist/);
    assert.match(rows[2]!, /read +completed .* a\.txt$/);
  });

  test("says so when there is nothing", async (t) => {
    const machine = await openMachine(t);
    assert.deepEqual(await machine.run(["calls"]), {
      code: 0,
      signal: null,
      stdout: "",
      stderr: "No calls recorded in this workspace.\n",
    });
    assert.deepEqual(await list(machine), []);
    const { stderr } = await machine.run(["calls", "--running"]);
    assert.equal(stderr, "No calls match these filters.\n");
  });

  test("answers wrong use in one sentence", async (t) => {
    const machine = await openMachine(t);
    const wrong: [string[], string][] = [
      [["--limit", "0"], 'Invalid value "0" for --limit: expected a whole number greater than 0.'],
      [["--limit", "ten"], 'Invalid value "ten" for --limit: expected a whole number greater than 0.'],
      [["--state", "faild"], 'Invalid value "faild" for --state. Did you mean "failed"?'],
      [["--running", "--state", "failed"], "--running and --state can't be combined."],
      [["--tool", "raed"], 'Unknown tool "raed". Did you mean "read"?'],
    ];
    for (const [args, sentence] of wrong) {
      const { code, stderr } = await machine.run(["calls", ...args]);
      assert.deepEqual({ code, stderr }, { code: 2, stderr: `deckhand: ${sentence}\n` });
    }
  });

  test("neutralises control characters of inputs and outputs [G9]", async (t) => {
    const machine = await openMachine(t);
    await machine.run(["tool", "read", '{"file_path":"\\u001b[2Jevil"}']);
    const [call] = await list(machine);
    const { stdout } = await machine.run(["calls"]);
    const shown = await machine.run(["calls", "show", call!.id]);
    for (const text of [stdout, shown.stdout]) {
      // eslint-disable-next-line no-control-regex -- that there are none is the point
      assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      assert.match(text, /evil/);
    }
  });
});

describe("calls show", () => {
  test("shows the whole record, by id or by a part of it that only one call has [E5]", async (t) => {
    const machine = await openMachine(t);
    await machine.run(["tool", "bash", '{"command":"echo hello; exit 4"}']);
    await machine.run(["tool", "raed"]);
    const [, bash] = await list(machine);
    for (const part of [bash!.id, bash!.id.slice(5), bash!.id.slice(-12), bash!.id.slice(0, 28).toUpperCase()]) {
      const { code, stdout, stderr } = await machine.run(["calls", "show", part]);
      assert.deepEqual({ part, code, stderr }, { part, code: 0, stderr: "" });
      assert.match(stdout, new RegExp(`^${bash!.id}\n`));
      assert.match(stdout, /^ {2}state +failed \(/m);
      assert.match(stdout, /^ {2}input +\{"command":"echo hello; exit 4"\}$/m);
      assert.match(stdout, /^ {2}error type +exit_code$/m);
      assert.match(stdout, /hello/);
    }
    const document = JSON.parse((await machine.run(["calls", "show", bash!.id, "--json"])).stdout);
    assert.equal(document.result.data.exit_code, 4);
  });

  test("of an unknown id ends with 1, of one that fits several with 2", async (t) => {
    const machine = await openMachine(t);
    const unknown = await machine.run(["calls", "show", "ffff"]);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /^deckhand: No call found for "ffff" in .+\. Run `deckhand calls` to list calls\.\n$/);
    await machine.run(["tool", "raed"]);
    await machine.run(["tool", "raed"]);
    const [call] = await list(machine);
    const ambiguous = await machine.run(["calls", "show", call!.id.slice(0, 10)]);
    assert.equal(ambiguous.code, 2);
    assert.match(
      ambiguous.stderr,
      /^deckhand: "call_\w+" matches 2 calls: call_\S+, call_\S+\. Use more characters of the id\.\n$/,
    );
    const short = await machine.run(["calls", "show", "abc"]);
    assert.equal(short.code, 2);
  });
});

describe("calls cancel", () => {
  test("stops a call that another process runs, and says how it ended and how that was proved [E4, E5]", async (t) => {
    const machine = await openMachine(t);
    const seconds = uniqueSeconds();
    const running = machine.start(["tool", "bash", JSON.stringify({ command: `sleep ${seconds} & sleep ${seconds}` })]);
    await untilProcesses(seconds, 2);
    const [call] = await list(machine, "--running");
    assert.equal(call!.state, "running");

    const cancel = await machine.run(["calls", "cancel", call!.id, "--reason", "wrong branch"]);
    assert.equal(cancel.code, 0);
    assert.match(cancel.stderr, /^Stopping call_\S+ \(bash, process \d+\)…\n$/);
    assert.match(
      cancel.stdout,
      /^call_\S+ cancelled\.\nStopped after .+\. (?:All its processes are gone: |No remaining process found \().+\.\n/,
    );
    assert.equal(countProcesses(seconds), 0);

    const ended = await running.ended;
    assert.equal(ended.code, 130);
    assert.match(ended.stderr, /^deckhand: Cancelled: wrong branch\.\n/);
    const [final] = await list(machine);
    assert.deepEqual([final!.state, final!.error], ["cancelled", "Cancelled: wrong branch"]);

    const again = await machine.run(["calls", "cancel", call!.id]);
    assert.equal(again.code, 1);
    assert.match(
      again.stderr,
      /^deckhand: Nothing to cancel: call_\S+ has already ended \(cancelled\)\. Cancelled: wrong branch\n$/,
    );
    const json = await machine.run(["calls", "cancel", call!.id, "--json"]);
    assert.equal(json.code, 1);
    const document = JSON.parse(json.stdout);
    assert.deepEqual(
      { ...document, execution: document.execution.state },
      { id: call!.id, cancelled: false, execution: "cancelled" },
    );
  });

  test("of an unknown call ends with 1 and one sentence", async (t) => {
    const machine = await openMachine(t);
    const { code, stdout, stderr } = await machine.run([
      "calls",
      "cancel",
      "call_0190a6b2-7c1e-7a41-9d3f-5b2c8e4f1a60",
    ]);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    assert.match(stderr, /^deckhand: No call found for "call_0190\S+" in .+\. Run `deckhand calls` to list calls\.\n$/);
  });
});

test("a runtime that is killed leaves a call that the next command shows as failed, and nothing running [E4, E5]", async (t) => {
  const machine = await openMachine(t);
  const seconds = uniqueSeconds();
  const command = `sleep ${seconds} & setsid sleep ${seconds} & sleep ${seconds}`;
  const running = machine.start(["tool", "bash", JSON.stringify({ command })]);
  await untilProcesses(seconds, 3);
  running.child.kill("SIGKILL");
  await running.ended;
  const [call] = await list(machine);
  assert.deepEqual(
    [call!.state, call!.error],
    ["failed", "Outcome unknown: the runtime that ran this call ended before the call did"],
  );
  await until("what was left is gone", () => countProcesses(seconds) === 0, 3000);
});
