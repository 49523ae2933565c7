import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { locateFolders } from "../../../src/config/folders.ts";
import { openDatabase } from "../../../src/records/sqlite/database.ts";
import { afterTest } from "../../support/after-test.ts";
import { isolatedEnvironment, openRuntime, until } from "../../support/runtime.ts";
import { openApi } from "./open-api.ts";

test("the status tells where it is, what it may be asked for, and how much goes on [D2] [D6]", async (t) => {
  const runtime = await openRuntime(t, { settings: { permissions: { unattended: "inbox" } } });
  const api = openApi(t, runtime, { status: { isWatched: true } });
  const waiting = runtime.call("bash", { command: "rm -rf backups" });
  await until("the question", async () => (await runtime.inbox.list()).length > 0);
  await (
    await runtime.schedule()
  ).add({ name: "nightly", every: "1d", tool: "read", input: { file_path: "a.txt" } }, { by: "kim" });
  await (await runtime.schedule()).pause("nightly", { by: "kim" });
  assert.deepEqual(await api.get("/api/status"), {
    status: 200,
    body: {
      version: "1.2.3",
      workdir: "/work",
      pid: 4711,
      started_at: "2026-11-16T09:00:00.000Z",
      ready: true,
      safe_mode: false,
      watchdog: true,
      url: "http://127.0.0.1:7433",
      rights: ["read", "run", "approve"],
      warnings: [],
      counts: {
        running_calls: 1,
        running_tasks: 0,
        waiting_inbox: 1,
        active_rollouts: 0,
        jobs: 1,
        paused_jobs: 1,
      },
    },
  });
  await runtime.cancel(waiting.id);
  await waiting;
});

test("the status counts jobs without looking at any of their runs [D6]", async (t) => {
  const runtime = await openRuntime(t);
  const schedule = await runtime.schedule();
  const { id } = await schedule.add(
    { name: "nightly", every: "1d", tool: "read", input: { file_path: "a" } },
    { by: "kim" },
  );
  const { database: path } = locateFolders(runtime.workdir, isolatedEnvironment(runtime.workdir));
  const database = await openDatabase({ path, clock: systemClock });
  afterTest(t, () => database.close());
  const unreadable = `
    INSERT INTO schedule_runs (id, job_id, due_at, state, start_at, is_catch_up, body)
    VALUES ('run_1', ?, 1, 'succeeded', 1, 0, 'unreadable')`;
  await database.write((connection) => connection.run(unreadable, id));
  await assert.rejects(schedule.list(), { code: "STORE_DAMAGED" });
  const { status, body } = await openApi(t, runtime).get("/api/status");
  assert.deepEqual([status, body.counts.jobs, body.counts.paused_jobs], [200, 1, 0]);
});

test("sessions are listed as the command line prints them [D6]", async (t) => {
  const runtime = await openRuntime(t);
  const session = await (await runtime.sessions()).create({ model: "script:x", workdir: runtime.workdir });
  session.append({ type: "user", parts: [{ type: "text", text: "hello there" }] });
  const api = openApi(t, runtime);
  const { body } = await api.get("/api/sessions?limit=5");
  assert.equal(body.next, null);
  assert.deepEqual(body.items.map((item: object) => Object.keys(item).toSorted())[0], [
    "calls",
    "created_at",
    "id",
    "is_ended",
    "is_open",
    "model",
    "path",
    "problem",
    "prompts",
    "title",
    "updated_at",
  ]);
  assert.deepEqual([body.items[0].id, body.items[0].title], [session.id, "hello there"]);
  await session.close();
  assert.deepEqual((await api.get("/api/sessions?limit=many")).body.error.code, "BAD_REQUEST");
});
