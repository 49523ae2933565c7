import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { usualTaskLimits } from "../../src/tasks/manager/task-parts.ts";
import { count } from "../support/counts.ts";
import { openTasks } from "./support/open-tasks.ts";
import { until } from "./support/until.ts";

const longMs = 240_000;
const door = "mcp" as const;
const limitedTo = (limit: number) => ({ ...usualTaskLimits, graceMs: 300, perAgent: { said: limit } });

test("two managers on one store run no more than may, the oldest first, and all of them [T7]", async (t) => {
  const limits = limitedTo(2);
  const one = await openTasks(t, { limits });
  const two = await openTasks(t, { limits }, one.folder);
  const { folder } = one;
  const ids: string[] = [];
  for (let number = 0; number < 10; number++) {
    const message = `echo "+ ${number}" >>${folder}/log; sleep 0.1; echo "- ${number}" >>${folder}/log; echo ok`;
    ids.push((await (number % 2 ? one : two).manager.start({ agent: "said", message, door })).id);
  }
  const ends = await Promise.all(ids.map((id) => one.manager.wait(id, longMs)));
  assert.deepEqual(new Set(ends.map(({ state }) => state)), new Set(["completed"]));
  const started = ends.toSorted((a, b) => a.startedAt! - b.startedAt!).map(({ id }) => id);
  assert.deepEqual(started, ids);
  let running = 0;
  let most = 0;
  for (const line of readFileSync(join(folder, "log"), "utf8").trim().split("\n")) {
    running += line.startsWith("+") ? 1 : -1;
    most = Math.max(most, running);
  }
  assert.deepEqual([running, most <= 2], [0, true], `at most ${most} ran at once`);
  const settled = [one, two].flatMap(({ events }) => events.filter(({ type }) => type === "task:settled"));
  assert.equal(settled.length, 10);
});

test("an agent that is full holds up no other one [T7]", async (t) => {
  const { manager } = await openTasks(t, { limits: limitedTo(1) });
  await manager.start({ agent: "said", message: "sleep 600", door });
  const waiting = await manager.start({ agent: "said", message: "echo ok", door });
  const other = await manager.start({ agent: "plain", message: "true", door });
  assert.equal((await manager.wait(other.id, longMs)).state, "completed");
  assert.equal((await manager.get(waiting.id))!.state, "queued");
});

test("a working folder that goes while its task waits is told from an agent that is not installed [T8]", async (t) => {
  const { manager, folder } = await openTasks(t, { limits: limitedTo(1) });
  const cwd = join(folder, "sub");
  mkdirSync(cwd);
  const wait = `until [ -e ${folder}/go ]; do sleep 0.05; done; echo ok`;
  await manager.start({ agent: "said", message: wait, door });
  const { id } = await manager.start({ agent: "said", message: "echo ok", cwd: "sub", door });
  rmSync(cwd, { recursive: true });
  writeFileSync(join(folder, "go"), "");
  const { state, error } = await manager.wait(id, longMs);
  const told = `The working directory "${cwd}" no longer exists. Create it again, or choose another one.`;
  assert.deepEqual([state, error], ["failed", told]);
});

test("what a closed manager left waiting is started by the next one [T7]", async (t) => {
  const limits = limitedTo(1);
  const one = await openTasks(t, { limits });
  const go = join(one.folder, "go");
  const first = await one.manager.start({
    agent: "said",
    message: `until [ -e ${go} ]; do sleep 0.05; done; echo ok`,
    door,
  });
  await until(async () => (await one.manager.get(first.id))?.process, "the first one runs");
  const second = await one.manager.start({ agent: "said", message: "echo ok", door });
  await one.manager.close();
  const two = await openTasks(t, { limits }, one.folder);
  await two.manager.adopt();
  assert.equal((await two.manager.get(second.id))!.state, "queued");
  writeFileSync(go, "");
  assert.equal((await two.manager.wait(second.id, longMs)).state, "completed");
  assert.equal((await two.manager.get(first.id))!.state, "completed");
});

test("thousands of tasks at once are all kept, and answered at once each [T7]", async (t) => {
  const { manager, store } = await openTasks(t, { limits: limitedTo(1) });
  const wanted = count({ quick: 2000, full: 10_000 });
  const request = { agent: "said", message: "sleep 600", door };
  const began = performance.now();
  const tasks = await Promise.all(Array.from({ length: wanted }, () => manager.start(request)));
  t.diagnostic(`${wanted} tasks taken on in ${Math.round(performance.now() - began)} ms`);
  assert.equal(new Set(tasks.map(({ id }) => id)).size, wanted);
  await until(async () => (await manager.get(tasks[0]!.id))?.process, "the first one runs");
  assert.equal(await store.count({ states: ["queued"] }), wanted - 1);
  const last = await manager.cancel(tasks.at(-1)!.id, "enough");
  assert.equal(last.state, "cancelled");
  await Promise.all(
    tasks.slice(1).map(({ id }) => store.update(id, { from: ["queued"], set: { state: "cancelled", completedAt: 1 } })),
  );
});
