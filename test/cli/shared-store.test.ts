import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { until } from "../tasks/support/until.ts";
import { openMachine, type Machine } from "./run-deckhand.ts";
import type { TaskDocument } from "./tasks-machine.ts";

const password = "open-sesame-4711";

/** A machine whose person has one agent and keeps tasks in this store, by a file. */
async function openSharing(t: TestContext, agent: string, url: string): Promise<Machine> {
  const machine = await openMachine(t);
  const folder = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(folder, { recursive: true });
  const agents = { [agent]: { command: ["sh", "-s"] }, rare: { command: ["sh", "-s"] } };
  const here = agent === "none" ? { rare: { command: ["no-such-program"] } } : agents;
  await writeFile(join(folder, "deckhand.json"), JSON.stringify({ agents: here, store: { url, scope: "shop" } }));
  return machine;
}

describe("a store that machines share", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  const withPassword = async (): Promise<string> =>
    (await server.createDatabase()).replace("deckhand@", `deckhand:${password}@`);

  test("a task waits for a worker and says so; an agent that no worker has is refused without an id [T2] [T4] [T8]", async (t) => {
    const address = await withPassword();
    const here = await openSharing(t, "shell", address);
    const started = await here.run(["tasks", "start", "shell", "echo ok"]);
    assert.equal(started.code, 0, started.stderr);
    const id = started.stdout.trim();
    assert.match((await here.run(["tasks", "show", id])).stdout, /state +queued\n[^]*progress +waiting for a worker\n/);
    assert.match((await here.run(["tasks"])).stdout, /queued .*echo ok → waiting for a worker$/m);

    const there = await openSharing(t, "none", address);
    const worker = there.start(["worker", "--json", "--machine", "there"]);
    afterTest(t, async () => void worker.child.kill("SIGKILL"));
    await until(async () => worker.stdout().includes("worker:ready"), "the worker is ready");
    const refused = await here.run(["tasks", "start", "shell", "echo ok"]);
    assert.equal(refused.stdout, "");
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /No worker has the agent "shell" \(available: /);
    const installed = JSON.parse((await here.run(["tasks", "agents", "--json"])).stdout) as object[];
    assert.partialDeepStrictEqual(
      installed.filter((agent) => "name" in agent && (agent.name === "shell" || agent.name === "deckhand")),
      [
        { name: "deckhand", installed: true },
        { name: "shell", installed: false },
      ],
    );
    const job = await here.run("schedule add j --every 1h --agent shell --message x --dry-run --json".split(" "));
    assert.partialDeepStrictEqual(JSON.parse(job.stdout), { work: { order: { agent: "shell", cwd: null } } });
    const listed = JSON.parse((await here.run(["tasks", "list", "--json"])).stdout) as (TaskDocument & {
      progress: string;
    })[];
    assert.deepEqual(
      listed.map((task) => [task.id, task.progress]),
      [[id, 'waiting for a worker that has "shell"']],
    );
    const row =
      /shared store +postgres:\/\/deckhand@.*: version 12; project \S+: 1 worker, 1 task in the queue, 0 questions for a person\./;
    assert.match((await here.run(["doctor"])).stdout.replaceAll(/\s*\n\s+/g, " "), row);
    await here.run(["tasks", "cancel", id]);
  });

  test("a store that goes away ends the watching with a code of its own, not with that of a failed task [T4] [T7]", async (t) => {
    const here = await openSharing(t, "shell", await server.createDatabase());
    const { stdout } = await here.run(["tasks", "start", "shell", "echo ok"]);
    const id = stdout.trim();
    const watching = [
      ["tasks", "follow", id, "--json"],
      ["tasks", "start", "shell", "echo other", "--follow", "--json"],
    ].map((args) => here.start(args));
    for (const each of watching) {
      afterTest(t, async () => void each.child.kill("SIGKILL"));
      await until(async () => each.stdout().includes("task:progressed"), "the task is watched");
    }
    afterTest(t, () => server.start());
    await server.stop();
    for (const { ended } of watching) {
      const { code, stderr } = await ended;
      assert.equal(code, 69, stderr);
      assert.match(stderr, /^deckhand: The store \S+ can't be reached: /m);
    }
    assert.equal((await here.run(["tasks", "follow", id])).code, 69);
  });

  test("the password of its address is nowhere: no answer, no document, no log, no file [T4]", async (t) => {
    const address = await withPassword();
    const here = await openSharing(t, "shell", address);
    const worker = here.start(["worker", "--json", "--machine", "here"]);
    afterTest(t, async () => void worker.child.kill("SIGKILL"));
    await until(async () => worker.stdout().includes("worker:ready"), "the worker is ready");
    const said: string[] = [];
    const say = async (...args: string[]): Promise<void> => {
      const { stdout, stderr } = await here.run(args);
      said.push(stdout, stderr);
    };
    await say("tasks", "start", "shell", "echo ok", "--follow");
    await say("tasks", "list", "--json");
    await say("doctor", "--json");
    await say("doctor");
    // What somebody asks for is theirs; what is kept of it is not.
    await here.run(["tool", "bash", JSON.stringify({ command: `echo ${password}` })]);
    await say("calls", "list", "--json");
    await say("log", "show", "--json");
    await say("tasks", "--store", address.replace(/test_\d+/, "nowhere"));
    await say("tasks", "--store", `postgres://ann:${password}@127.0.0.1:1/x`);
    await say("tasks", "--store", `mysql://ann:${password}@127.0.0.1:1/x`);
    const waiting = here.start(["worker", "--store", `postgres://ann:${password}@127.0.0.1:1/x`]);
    await until(() => waiting.stderr().includes("Trying again until it answers"), "the worker waits");
    waiting.child.kill("SIGTERM");
    said.push(...Object.values(await waiting.ended).map(String));
    worker.child.kill("SIGTERM");
    await worker.ended;
    said.push(worker.stdout());
    const [first = ""] = said;
    assert.match(first, /ok/);
    assert.ok(said.some((text) => text.includes("[MASKED:")));
    for (const text of said) assert.ok(!text.includes(password), text);
    for (const [path, text] of filesIn(here.workdir)) assert.ok(!text.includes(password), path);
    for (const [path, text] of filesIn(here.env["XDG_STATE_HOME"]!)) assert.ok(!text.includes(password), path);
  });
});

function filesIn(folder: string): [path: string, text: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path, "latin1")]);
}
