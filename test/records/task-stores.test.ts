import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { codeOf } from "../../src/core/errors.ts";
import { openDatabase } from "../../src/records/sqlite/database.ts";
import { createMemoryTaskStore } from "../../src/records/memory/memory-task-store.ts";
import { createSqliteTaskStore } from "../../src/records/sqlite/sqlite-task-store.ts";
import { makeTask } from "../contract/make-task.ts";
import { taskStoreContract } from "../contract/task-store-contract.ts";
import { temporaryDatabase } from "./open-temporary.ts";

taskStoreContract("memory", () => Promise.resolve(createMemoryTaskStore()));

taskStoreContract("sqlite", async (t) => {
  const database = await openDatabase({ path: await temporaryDatabase(t), clock: systemClock });
  t.after(() => database.close());
  return createSqliteTaskStore(database);
});

test("only a store that outlives the process says so [T4]", async (t) => {
  const database = await openDatabase({ path: await temporaryDatabase(t), clock: systemClock });
  t.after(() => database.close());
  assert.equal(createMemoryTaskStore().isDurable, false);
  assert.equal(createSqliteTaskStore(database).isDurable, true);
});

test("two connections share tasks, and each sees that the other wrote [T4]", async (t) => {
  const path = await temporaryDatabase(t);
  const [one, two] = await Promise.all(
    [1, 2].map(async () => {
      const database = await openDatabase({ path, clock: systemClock });
      t.after(() => database.close());
      return createSqliteTaskStore(database);
    }),
  );
  const before = await two!.revision();
  const tasks = Array.from({ length: 10 }, () => makeTask());
  for (const task of tasks) await one!.add(task);
  assert.notEqual(await two!.revision(), before);
  const owner = { pid: 1, startTime: "1", bootId: "b" };
  const taken = await Promise.all(
    Array.from({ length: 10 }, (_, at) => (at % 2 ? one! : two!).takeNext("claude", { limit: 4, owner, now: 1 })),
  );
  assert.deepEqual(
    taken.flatMap((task) => task?.id ?? []).sort(),
    tasks.slice(0, 4).map(({ id }) => id),
  );
});

test("a task whose record was damaged says so [T4]", async (t) => {
  const database = await openDatabase({ path: await temporaryDatabase(t), clock: systemClock });
  t.after(() => database.close());
  const store = createSqliteTaskStore(database);
  const task = makeTask();
  await store.add(task);
  await database.write((connection) => connection.run("UPDATE tasks SET body = '{' WHERE id = ?", task.id));
  await assert.rejects(store.get(task.id), (thrown) => codeOf(thrown) === "STORE_DAMAGED");
});
