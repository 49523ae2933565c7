import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createRuntime } from "../../src/runtime/create-runtime.ts";
import { afterTest } from "../support/after-test.ts";
import { count } from "../support/counts.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { until } from "../tasks/support/until.ts";
import { openMachine } from "./run-deckhand.ts";

describe("many tasks at once", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  test("two workers do each of many once, and the list of them stays usable [T4] [T7]", async (t) => {
    const many = count({ quick: 100, full: 10_000 });
    const url = await server.createDatabase();
    const machine = await openMachine(t);
    const folder = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
    await mkdir(folder, { recursive: true });
    const settings = {
      agents: { noop: { command: ["echo", "ok"], limit: 8 } },
      store: { url, scope: "many" },
      retention: { tasks_minutes: 600 },
    };
    await writeFile(join(folder, "deckhand.json"), JSON.stringify(settings));
    const runtime = await createRuntime({ workdir: machine.workdir, env: machine.env });
    afterTest(t, () => runtime.close());
    const tasks = await runtime.tasks();
    const began = Date.now();
    let left = many;
    const order = async (): Promise<void> => {
      while (left-- > 0) await tasks.start({ agent: "noop", message: `${left}`, door: "library" });
    };
    await Promise.all(Array.from({ length: 8 }, order));
    const ordered = Date.now();
    const workers = await Promise.all(
      ["a", "b"].map(async (name) => {
        const cwd = join(machine.workdir, name);
        await mkdir(cwd);
        const worker = machine.start(["worker", "--json", "--machine", name], { cwd });
        afterTest(t, async () => {
          worker.child.kill("SIGKILL");
          await worker.ended;
        });
        return worker;
      }),
    );
    const listed = await machine.run(["tasks", "list", "--limit", "20", "--json"]);
    assert.equal((JSON.parse(listed.stdout) as unknown[]).length, 20, listed.stderr);
    const open = async (): Promise<number> => Number((await server.query(url, unsettled))[0]?.["count"]);
    for (let before = await open(), now = before; now > 0; before = now) {
      await until(async () => (now = await open()) < before || now === 0, "that it goes on");
    }
    t.diagnostic(`${many} ordered in ${ordered - began} ms, done ${Date.now() - ordered} ms later`);
    const states = await server.query(url, "SELECT state, attempt, count(*)::int FROM deckhand.tasks GROUP BY 1, 2");
    assert.deepEqual(states, [{ state: "completed", attempt: 1, count: many }]);
    for (const worker of workers) worker.child.kill("SIGTERM");
    await Promise.all(workers.map(({ ended }) => ended));
    const started = workers.flatMap((worker) => {
      const events = worker
        .stdout()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { type: string; id?: string });
      return events.flatMap(({ type, id }) => (type === "task:started" ? [id] : []));
    });
    assert.equal(started.length, many);
    assert.equal(new Set(started).size, many);
  });
});

const unsettled = "SELECT count(*) AS count FROM deckhand.tasks WHERE state IN ('queued', 'running')";
