import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createRuntime, type Runtime } from "../../src/runtime/create-runtime.ts";
import { createTrust } from "../../src/permissions/trust/open-trust.ts";
import type { Settings } from "../../src/config/settings.ts";
import { afterTest } from "../support/after-test.ts";
import { isolatedEnvironment, openRuntime, until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** An agent whose message is a shell script. */
const shell = { command: ["sh", "-s"] as [string, ...string[]] };
const settings: Settings = { agents: { shell } };
const patienceMs = 60_000;

async function finish(runtime: Runtime, id: string) {
  const tasks = await runtime.tasks();
  return until(
    "its end",
    async () => {
      const task = await tasks.wait(id, 1000);
      return task.completedAt === null ? undefined : task;
    },
    patienceMs,
  );
}

test("wrong settings of agents are told in one sentence that names the key [T8]", async (t) => {
  const home = await temporaryFolder(t);
  const cases: [object, RegExp][] = [
    [{ agents: { Shell: shell } }, /agents\.Shell: .*name of small letters/],
    [{ agents: { shell: { command: [] } } }, /agents\.shell\.command\.0: expected a list of texts, the program and/],
    [{ agents: { shell: { command: [""] } } }, /agents\.shell\.command\.0: expected a list of texts, the program and/],
    [{ agents: { shell: { command: ["sh", 5] } } }, /agents\.shell\.command\.1: expected a list of texts, the program/],
    [
      { agents: { shell: { command: "sh -s" } } },
      /agents\.shell\.command: expected a list of texts, the program and its arguments, as in \["my-review", "--strict"\]\.$/,
    ],
    [{ agents: { shell: { comand: ["sh"] } } }, /"agents\.shell\.comand" is not a setting; did you mean "command"\?/],
    [{ agents: { shell: { ...shell, output: "xml" } } }, /agents\.shell\.output: .*"text"\|"json_lines"\|"acp"/],
    [{ agents: { shell: { ...shell, limit: 0 } } }, /agents\.shell\.limit: Too small/],
    [{ limits: { max_agents: 0 } }, /limits\.max_agents: Too small/],
    [{ limits: { task_timeout_ms: "10" } }, /limits\.task_timeout_ms: Invalid input: expected number/],
    [{ retention: { tasks_minutes: -1 } }, /retention\.tasks_minutes: Too small/],
  ];
  for (const [given, sentence] of cases) {
    const opening = createRuntime({ workdir: home, env: isolatedEnvironment(home), settings: given });
    await assert.rejects(opening, (thrown: Error & { code?: string }) => {
      assert.equal(thrown.code, "CONFIG_INVALID");
      assert.match(thrown.message, sentence);
      assert.ok(!thrown.message.includes("\n"), thrown.message);
      return true;
    });
  }
  // Whether it is another agent or a known one, only those who know the agents can say.
  const runtime = await openRuntime(t, { home, settings: { agents: { shell: { limit: 2 } } } });
  await assert.rejects(runtime.tasks(), {
    code: "CONFIG_INVALID",
    message: '"agents.shell" has no "command": set the command that starts this agent.',
  });
});

test("agents of a cloned folder are none before it is trusted; the person's own are [T8] [G8]", async (t) => {
  const home = await temporaryFolder(t);
  const workdir = join(home, "work");
  const env = isolatedEnvironment(home);
  await mkdir(workdir);
  await mkdir(join(env["XDG_CONFIG_HOME"]!, "deckhand"), { recursive: true });
  await writeFile(
    join(env["XDG_CONFIG_HOME"]!, "deckhand", "deckhand.json"),
    JSON.stringify({ agents: { mine: shell } }),
  );
  await writeFile(join(workdir, "deckhand.json"), JSON.stringify({ agents: { theirs: shell } }));
  const namesIn = async (): Promise<{ names: string[]; warnings: string }> => {
    const runtime = await createRuntime({ workdir, env });
    afterTest(t, () => runtime.close());
    const agents = await (await runtime.tasks()).agents();
    const names = agents.map(({ name }) => name).filter((name) => name === "mine" || name === "theirs");
    return { names, warnings: runtime.warnings.join() };
  };
  const untrusted = await namesIn();
  assert.deepEqual(untrusted.names, ["mine"]);
  assert.match(untrusted.warnings, /sets agents, .*deckhand trust/);
  const trust = createTrust(workdir, env);
  trust.grant("kim", { files: trust.files().map(({ path }) => path), quarantined: [] });
  assert.deepEqual(await namesIn(), { names: ["mine", "theirs"], warnings: "" });
});

test("limits, time and how agents are said to be come from the settings [T1] [T8]", async (t) => {
  const runtime = await openRuntime(t, {
    settings: {
      agents: { shell: { ...shell, limit: 7 }, lines: { ...shell, output: "json_lines" } },
      limits: { max_agents: 3, task_timeout_ms: 5000 },
      retention: { tasks_minutes: 2 },
    },
  });
  const tasks = await runtime.tasks();
  const about = new Map((await tasks.agents()).map((agent) => [agent.name, agent]));
  const { limit, isInstalled, canResume, printsText } = about.get("shell")!;
  assert.deepEqual([limit, isInstalled, canResume, printsText], [7, true, false, true]);
  assert.deepEqual([about.get("lines")?.limit, about.get("lines")?.printsText], [3, false]);
  assert.deepEqual([about.get("claude")?.printsText, about.get("deckhand")?.isInstalled], [false, true]);
  assert.deepEqual([tasks.ttlMs, tasks.isDurable, tasks.runsHere], [120_000, true, true]);
  const task = await tasks.start({ agent: "shell", message: "true", door: "library" });
  assert.equal(task.order.timeoutMs, 5000);
  assert.equal(task.order.cwd, runtime.workdir);
});

test("an agent is installed also where the environment has names that no command gets, such as exported functions", async (t) => {
  const home = await temporaryFolder(t);
  const env = { ...isolatedEnvironment(home), "BASH_FUNC_which%%": "() { :; }" };
  const runtime = await openRuntime(t, { home, env, settings: { agents: { shell } } });
  const tasks = await runtime.tasks();
  const about = new Map((await tasks.agents()).map((agent) => [agent.name, agent.isInstalled]));
  assert.deepEqual([about.get("shell"), about.get("deckhand")], [true, true]);
});

test("no task gets rid of an agent's own checks unless the person's settings allow that for it [T8]", async (t) => {
  const runtime = await openRuntime(t, { settings: { agents: { shell, free: { ...shell, allow_bypass: true } } } });
  const tasks = await runtime.tasks();
  const order = { message: "true", door: "library", bypassesPermissions: true } as const;
  await assert.rejects(tasks.start({ ...order, agent: "shell" }), { code: "TASK_INVALID", message: /"shell"/ });
  assert.equal((await tasks.start({ ...order, agent: "free" })).order.bypassesPermissions, true);
});

test("tasks are opened once, however many ask for them at the same time [T6]", async (t) => {
  const runtime = await openRuntime(t, { settings });
  const opened = await Promise.all([runtime.tasks(), runtime.tasks(), runtime.tasks()]);
  assert.equal(new Set(opened).size, 1);
  await runtime.close();
  await assert.rejects(runtime.tasks(), { code: "RUNTIME_CLOSED" });
});

test("a closed runtime leaves its tasks running, and the next one has their true results [T4] [T6]", async (t) => {
  const home = await temporaryFolder(t);
  const first = await openRuntime(t, { home, settings });
  const go = join(home, "go");
  const message = `while [ ! -e ${go} ]; do sleep 0.05; done; echo survived`;
  const { id } = await (await first.tasks()).start({ agent: "shell", message, door: "library" });
  const before = await until(
    "it runs",
    async () => {
      const task = await (await first.tasks()).get(id);
      return task?.process ? task : undefined;
    },
    patienceMs,
  );
  await first.close();

  const second = await openRuntime(t, { home, settings });
  const settled: string[] = [];
  second.on("task:settled", (event) => void settled.push(event.id));
  const adopted = await (await second.tasks()).get(id);
  assert.deepEqual([adopted?.state, adopted?.process?.pid], ["running", before.process?.pid]);
  await writeFile(go, "");
  const { state, result } = await finish(second, id);
  assert.deepEqual([state, result], ["completed", "survived"]);
  await second.close();
  assert.deepEqual(settled, [id]);
});

test("with tasks in memory they end with their runtime, and nothing of them goes on [T4]", async (t) => {
  const home = await temporaryFolder(t);
  const runtime = await openRuntime(t, { home, settings: { ...settings, store: { kind: "memory" } } });
  assert.deepEqual(runtime.warnings, []);
  const tasks = await runtime.tasks();
  assert.equal(tasks.isDurable, false);
  assert.match(runtime.warnings.join("\n"), /^Tasks are kept in memory only, .*$/);
  await runtime.tasks();
  assert.equal(runtime.warnings.length, 1);
  const { id } = await tasks.start({ agent: "shell", message: "sleep 1000", door: "library" });
  const { process } = await until(
    "it runs",
    async () => {
      const task = await tasks.get(id);
      return task?.process ? task : undefined;
    },
    patienceMs,
  );
  await runtime.close();
  assert.equal(runtime.processes.isAlive(process!), false);
});
