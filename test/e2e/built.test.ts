import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { built, follow, openMachine } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { livingProcesses } from "../support/living-processes.ts";
import { until } from "../support/runtime.ts";

const root = join(import.meta.dirname, "..", "..");

describe("the built package", () => {
  test("is there: `npm test` builds it first", () => {
    assert.ok(existsSync(join(root, "dist", "cli.js")), "run `npm run build` before these tests");
  });

  test("the command answers, runs a tool, records it and ends with its codes", async (t) => {
    const machine = await openMachine(t);
    const run = (...args: string[]) => machine.run(args, { program: built });
    assert.match((await run("--version")).stdout, /^\d+\.\d+\.\d+\n$/);
    assert.match((await run("--help")).stdout, /^deckhand runs tool calls/);
    const hello = await run("tool", "bash", '{"command":"echo hello"}');
    assert.equal(hello.code, 0);
    assert.match(hello.stdout, /^hello\n/);
    assert.equal((await run("tool", "raed")).code, 2);
    assert.equal((await run("tool", "bash", '{"command":"false"}')).code, 1);
    const grep = await run("tool", "grep", '{"pattern":"x"}');
    assert.equal(grep.code, 0, grep.stderr);
    const calls = JSON.parse((await run("calls", "--json")).stdout) as { state: string }[];
    assert.deepEqual(
      calls.map(({ state }) => state),
      ["completed", "failed", "failed", "completed"],
    );
    const welcome = await run();
    assert.deepEqual({ code: welcome.code, stdout: welcome.stdout }, { code: 2, stdout: "" });
  });
});

describe("the daemon of the built package", () => {
  const cases = [
    {
      title: "keeps its heap steady, in the process that was started",
      env: {},
      expected: "--max-semi-space-size=4 --expose-gc ",
    },
    { title: "leaves a person's own size as it is", env: { NODE_OPTIONS: "--max-semi-space-size=16" }, expected: "" },
  ];
  for (const { title, env, expected } of cases) {
    test(`${title} [D2]`, async (t) => {
      const machine = await openMachine(t);
      const started = machine.start(["serve", "--port", "0", "--json"], { program: built, env });
      const { child, ended } = started;
      afterTest(t, async () => {
        child.kill("SIGKILL");
        await ended;
      });
      const line = await until("it is ready", () => started.stdout().includes("\n") && started.stdout(), 60_000);
      assert.equal((JSON.parse(line) as { pid: number }).pid, child.pid);
      const command = livingProcesses().find(({ pid }) => pid === child.pid)?.command;
      assert.equal(command, `${process.execPath} ${expected}${built[0]} serve --port 0 --json`);
      child.kill("SIGTERM");
      assert.equal((await ended).code, 143);
    });
  }
});

describe("background agents of the built package", () => {
  test("an ACP agent does a task with the driver that was built, and goes on with its session [T8]", async (t) => {
    const machine = await openMachine(t);
    const settings = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
    await mkdir(settings, { recursive: true });
    const agent = { command: [process.execPath, join(root, "test/fixtures/agents/acp-agent.ts")], output: "acp" };
    await writeFile(join(settings, "deckhand.json"), JSON.stringify({ agents: { acp: agent } }));
    const run = (...args: string[]) => machine.run(["tasks", ...args], { program: built });
    const first = await run("start", "acp", "--system-prompt", "Be terse.", "--follow", "--", "-n hello");
    const said = "You said: Be terse. | -n hello (permission: no)\n";
    assert.deepEqual([first.code, first.stdout], [0, said], first.stderr);
    const resumed = await run("resume", "last", "again", "--json");
    assert.equal(resumed.code, 0, resumed.stderr);
    const second = await run("follow", "last");
    assert.deepEqual([second.code, second.stdout], [0, said.replace("-n hello", "again")], second.stderr);
  });

  test("the shim keeps a task alive that the built command started, and it is cancelled by another one [T7]", async (t) => {
    const machine = await openMachine(t);
    const settings = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
    await mkdir(settings, { recursive: true });
    await writeFile(join(settings, "deckhand.json"), JSON.stringify({ agents: { shell: { command: ["sh", "-s"] } } }));
    const run = (...args: string[]) => machine.run(["tasks", ...args], { program: built });
    const { stdout: id } = await run("start", "shell", "echo up; sleep 600", "--quiet");
    const { code, stdout } = await run("cancel", id.trim());
    assert.deepEqual([code, stdout.startsWith(`${id.trim()} cancelled. `)], [0, true], stdout);
  });
});

describe("the examples run, and say so by exit code 0", { concurrency: 2 }, () => {
  for (const name of readdirSync(join(root, "examples")).filter((file) => file.endsWith(".ts"))) {
    test(name, async (t) => {
      const { workdir, env } = await openMachine(t);
      const child = spawn(process.execPath, [join(root, "examples", name)], { cwd: workdir, env });
      const { code, stdout, stderr } = await follow(child, undefined).ended;
      assert.equal(code, 0, stdout + stderr);
    });
  }
});
