import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { test } from "node:test";
import { lane } from "../support/require.ts";
import { countProcesses, uniqueSeconds, untilProcesses } from "../cli/processes-named.ts";
import { follow, openMachine, deckhand, type Machine, type Started } from "../cli/run-deckhand.ts";
import { until } from "../support/runtime.ts";

const python = lane("python", spawnSync("python3", ["-c", "import pty"]).status === 0);

/** Runs the command in a terminal of its own: what is written to stdin is typed there, stdout is what it shows. */
function startInTerminal(machine: Machine, args: readonly string[], env: Record<string, string> = {}): Started {
  const script = "import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
  const child = spawn("python3", ["-c", script, process.execPath, ...deckhand, ...args], {
    cwd: machine.workdir,
    env: { ...machine.env, TERM: "xterm-256color", ...env },
  });
  return follow(child, null);
}

test("Ctrl-C typed in a terminal stops the call, and nothing of it is left [E4]", python, async (t) => {
  const machine = await openMachine(t);
  const seconds = uniqueSeconds();
  const running = startInTerminal(machine, [
    "tool",
    "bash",
    JSON.stringify({ command: `sleep ${seconds} & sleep ${seconds}` }),
  ]);
  await untilProcesses(seconds, 2);
  running.child.stdin.write("\u0003");
  const { code, stdout } = await running.ended;
  assert.equal(countProcesses(seconds), 0);
  assert.equal(code, 130);
  assert.match(
    stdout,
    /deckhand: Cancelled by Ctrl-C\.\r\nStopped after .+\. (?:All its processes are gone: |No remaining process found \()/,
  );
});

test("a terminal shows one live line that disappears at the end [E9]", python, async (t) => {
  const machine = await openMachine(t);
  const command = "printf 'step \\033[31mone\\n\\033[2J'; until test -e go; do sleep 0.05; done; echo result";
  const running = startInTerminal(machine, ["tool", "bash", JSON.stringify({ command })]);
  await until("the last line of output is shown", () => /bash \d+ m?s · step one/.test(running.stdout()));
  await machine.run(["tool", "write", '{"file_path":"go","content":""}']);
  const { code, stdout } = await running.ended;
  assert.equal(code, 0);
  const afterLastStatus = stdout.slice(stdout.lastIndexOf("\r\u001b[K") + 4);
  assert.match(afterLastStatus, /^step one\r\n[\s\S]*result\r\n$/);
});

test(
  "a terminal gets the output of a tool without what it would obey, a pipe gets it as it is [G9]",
  python,
  async (t) => {
    const machine = await openMachine(t);
    const command = "printf '\\033]0;title\\007\\033[31mred\\033[0m\\033[2J\\342\\200\\256 10%%\\r20%%'";
    const input = JSON.stringify({ command });
    const seen = await startInTerminal(machine, ["tool", "bash", input, "--quiet"]).ended;
    assert.equal(seen.stdout, "red 10%\r\n20%\r\n");
    const piped = await machine.run(["tool", "bash", input]);
    assert.equal(piped.stdout, "\u001b]0;title\u0007\u001b[31mred\u001b[0m\u001b[2J\u202e 10%\r20%\n");
  },
);

test("NO_COLOR keeps the terminal free of colours", python, async (t) => {
  const machine = await openMachine(t);
  await machine.run(["tool", "raed"]);
  const plain = await startInTerminal(machine, ["calls"], { NO_COLOR: "1" }).ended;
  const coloured = await startInTerminal(machine, ["calls"]).ended;
  assert.equal(plain.stdout.includes("\u001b"), false);
  assert.equal(coloured.stdout.includes("\u001b[31mfailed"), true);
});

test("tables end at the terminal's edge", python, async (t) => {
  const machine = await openMachine(t);
  await machine.run(["tool", "read", JSON.stringify({ file_path: "x".repeat(300) })]);
  const { stdout } = await startInTerminal(machine, ["calls"], { NO_COLOR: "1" }).ended;
  for (const line of stdout.split("\r\n")) assert.ok(line.length <= 80, line);
});
