import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countProcesses, uniqueSeconds, untilProcesses } from "./processes-named.ts";
import { openMachine } from "./run-deckhand.ts";
import { until } from "../support/runtime.ts";

describe("a signal cancels the call and waits for the proof [E4]", { concurrency: 2 }, () => {
  const cases: ["SIGINT" | "SIGTERM" | "SIGHUP", number, string][] = [
    ["SIGINT", 130, "Ctrl-C"],
    ["SIGTERM", 143, "SIGTERM"],
    ["SIGHUP", 129, "SIGHUP"],
  ];
  for (const [signal, code, name] of cases) {
    test(`${signal} ends with ${code}`, async (t) => {
      const machine = await openMachine(t);
      const seconds = uniqueSeconds();
      const command = `sleep ${seconds} & sleep ${seconds}`;
      const running = machine.start(["tool", "bash", JSON.stringify({ command })]);
      await untilProcesses(seconds, 2);
      running.child.kill(signal);
      const ended = await running.ended;
      assert.equal(countProcesses(seconds), 0);
      assert.equal(ended.code, code);
      assert.match(
        ended.stderr,
        new RegExp(
          `^deckhand: Cancelled by ${name}\\.\nStopped after .+\\. (?:All its processes are gone: |No remaining process found \\().+\\.\n`,
        ),
      );
      const [call] = JSON.parse((await machine.run(["calls", "--json"])).stdout);
      assert.deepEqual([call.state, call.stop_cause, call.survivors], ["cancelled", "cancel", []]);
      assert.match(call.stop_proof, /^(namespace|marker|group)$/);
    });
  }
});

test("the second Ctrl-C says that it is still stopping, the third leaves at once with 130 [E4]", async (t) => {
  const machine = await openMachine(t);
  const seconds = uniqueSeconds();
  const command = `trap '' TERM; sleep ${seconds} & while :; do sleep 0.1; done`;
  const running = machine.start(["tool", "bash", JSON.stringify({ command }), "--events"]);
  await untilProcesses(seconds, 1);
  running.child.kill("SIGINT");
  await until("the first signal arrived", () => {
    running.child.kill("SIGINT");
    return running.stderr().includes("Still stopping");
  });
  running.child.kill("SIGINT");
  const ended = await running.ended;
  assert.equal(ended.code, 130);
  assert.match(ended.stderr, /Still stopping: .+ up to 15 s\. .+\nLeft without waiting for the proof: .+\n$/);

  const [call] = JSON.parse((await machine.run(["calls", "--json"])).stdout);
  assert.deepEqual([call.state, call.error_type], ["failed", "runtime_lost"]);
  await until("the next command ended what was left", () => countProcesses(seconds) === 0, 3000);
});

test("a reader that leaves early is no crash", async (t) => {
  const machine = await openMachine(t);
  const lines = JSON.stringify({ command: "seq 1 2000" });
  for (const args of [["tool", "bash", lines], ["tool", "bash", lines, "--events"], ["tools", "--json"], ["--help"]]) {
    const running = machine.start(args);
    running.child.stdout.destroy();
    const ended = await running.ended;
    assert.deepEqual({ args, code: ended.code, stderr: ended.stderr }, { args, code: 0, stderr: "" });
  }
});

test("SIGUSR1 does not open Node's debugger", async (t) => {
  const machine = await openMachine(t);
  const running = machine.start([
    "tool",
    "bash",
    '{"command":"echo begun; until test -e go; do sleep 0.05; done"}',
    "--events",
  ]);
  await until("the call runs", () => running.stdout().includes("begun"));
  running.child.kill("SIGUSR1");
  await machine.run(["tool", "write", '{"file_path":"go","content":""}']);
  const { code, stderr } = await running.ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});
