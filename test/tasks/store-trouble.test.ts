import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { codeOf, RuntimeError } from "../../src/core/errors.ts";
import type { TaskStore } from "../../src/core/task.ts";
import { openDatabase } from "../../src/records/sqlite/database.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openTasks, openTaskStore } from "./support/open-tasks.ts";
import { until } from "./support/until.ts";

const longMs = 120_000;
const door = "mcp" as const;

test("a task that ends while its store is locked has its true end once the lock is gone [T6]", async (t) => {
  const { manager, folder, errors } = await openTasks(t);
  const go = join(folder, "go");
  const message = `echo up; until [ -e ${go} ]; do sleep 0.05; done; echo text held; echo ok`;
  const { id } = await manager.start({ agent: "said", message, door });
  await until(async () => (await manager.output(id, {})).totalBytes > 0, "it runs");
  await until(async () => (await manager.get(id))?.process, "its process is known");
  const locker = new DatabaseSync(join(folder, "deckhand.db"));
  locker.exec("BEGIN IMMEDIATE");
  writeFileSync(go, "");
  await assert.rejects(manager.start({ agent: "said", message: "echo ok", door }), { code: "STORE_BUSY" });
  await until(() => errors.some((thrown) => codeOf(thrown) === "STORE_BUSY"), "the trouble is told");
  locker.exec("ROLLBACK");
  locker.close();
  const end = await manager.wait(id, longMs);
  assert.deepEqual([end.state, end.result], ["completed", "held"]);
  const settled = await manager.list({ limit: 9 });
  assert.equal(settled.length, 1, "what was not taken on is not there");
});

test("a task whose start could not be written down is watched to its end all the same [T6]", async (t) => {
  const folder = await temporaryFolder(t);
  const kept = await openTaskStore(t, folder);
  let isBusy = true;
  const store: TaskStore = {
    ...kept,
    async update(id, change) {
      // Only the write that tells who the process is; the store is free again after it.
      if (!isBusy || !change.set.process) return kept.update(id, change);
      isBusy = false;
      throw new RuntimeError("STORE_BUSY", "The store is busy: try again.");
    },
  };
  const { manager, errors } = await openTasks(t, { store }, folder);
  const go = join(folder, "go");
  const message = `echo up; until [ -e ${go} ]; do sleep 0.05; done; echo text held; echo ok`;
  const { id } = await manager.start({ agent: "said", message, door });
  await until(() => errors.some((thrown) => codeOf(thrown) === "STORE_BUSY"), "the start was not written down");
  writeFileSync(go, "");
  const end = await manager.wait(id, longMs);
  assert.deepEqual([end.state, end.result, end.attempt], ["completed", "held", 1]);
});

test("a store that vanishes is told once, takes no order, and ends no agent [T4]", async (t) => {
  const { manager, folder, errors, processes } = await openTasks(t);
  const { id } = await manager.start({ agent: "said", message: "echo up; sleep 600", door });
  await until(async () => (await manager.get(id))?.process, "it runs");
  const file = join(folder, "deckhand.db");
  renameSync(file, `${file}.away`);
  await until(async () => {
    const code = await manager.start({ agent: "said", message: "echo ok", door }).then(() => "", codeOf);
    return code === "STORE_UNAVAILABLE";
  }, "it is noticed");
  assert.equal(processes.detached.look(join(folder, "tasks", id, "run-1")).state, "running");
  rmSync(file, { force: true });
  renameSync(`${file}.away`, file);
  await until(
    async () => (await manager.cancel(id, "over").catch(() => undefined))?.state === "cancelled",
    "it is back",
  );
  assert.ok(errors.length < 10, `${errors.length} complaints`);
});

test("a store of a newer version is refused in one sentence [T4]", async (t) => {
  const path = join(await temporaryFolder(t), "deckhand.db");
  const newer = await openDatabase({ path, clock: systemClock });
  await newer.close();
  const raw = new DatabaseSync(path);
  raw.exec("PRAGMA user_version = 99");
  raw.close();
  await assert.rejects(openDatabase({ path, clock: systemClock }), { code: "STORE_NEWER" });
});
