import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawn, spawnSync } from "node:child_process";
import { test } from "node:test";
import { follow, openMachine, deckhand, type Machine, type Started } from "../cli/run-deckhand.ts";
import { lane } from "../support/require.ts";
import { until } from "../support/runtime.ts";

const python = lane("python", spawnSync("python3", ["-c", "import pty"]).status === 0);

function startInTerminal(machine: Machine, args: readonly string[]): Started {
  const script = "import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
  const child = spawn("python3", ["-c", script, process.execPath, ...deckhand, ...args], {
    cwd: machine.workdir,
    env: { ...machine.env, TERM: "xterm-256color" },
  });
  return follow(child, null);
}

const danger = JSON.stringify({ command: "rm -rf victim" });

for (const [typed, code, isThere] of [
  ["yes\r", 0, false],
  ["y\r", 3, true],
  ["no\r", 3, true],
  ["\r", 3, true],
  ["\u0004", 3, true],
  ["\u0003", 130, true],
] as const) {
  test(`on a terminal danger is asked about; ${JSON.stringify(typed)} ends with ${code} [L8 E7]`, python, async (t) => {
    const machine = await openMachine(t);
    const victim = join(machine.workdir, "victim");
    await mkdir(victim);
    const running = startInTerminal(machine, ["tool", "bash", danger]);
    await until("it asks", () => running.stdout().includes('Type "yes"'));
    assert.match(running.stdout(), /Dangerous: Run a command/);
    assert.ok(existsSync(victim));
    running.child.stdin.write(typed);
    const ended = await running.ended;
    assert.equal(ended.code, code, ended.stdout);
    assert.equal(existsSync(victim), isThere);
  });
}

test("a write to a protected name shows its diff in colour before it is asked about [E7]", python, async (t) => {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "deckhand.json"), "{}\n");
  const input = JSON.stringify({ file_path: "deckhand.json", content: '{"a\u001b[2J":1}\n' });
  const running = startInTerminal(machine, ["tool", "write", input]);
  await until("it asks", () => running.stdout().includes('Type "yes"'));
  const shown = running.stdout();
  assert.ok(shown.includes("\u001b[31m-{}\u001b[39m"), JSON.stringify(shown));
  assert.ok(shown.includes('\u001b[32m+{"a␛[2J":1}\u001b[39m'), JSON.stringify(shown));
  assert.ok(!shown.includes("\u001b[2J"));
  running.child.stdin.write("no\r");
  assert.equal((await running.ended).code, 3);
});
