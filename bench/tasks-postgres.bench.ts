import { PgBoss } from "pg-boss";
import { systemClock } from "../src/core/clock.ts";
import { openPostgresTaskStore } from "../src/records/postgres/tasks/postgres-task-store.ts";
import { makeTask } from "../test/contract/make-task.ts";
import { openPostgres, type PostgresServer } from "../test/support/postgres.ts";
import type { Bench } from "./bench.ts";

const jobs = 1000;
/** So many order at once, and then so many work at once. */
const lanes = 8;

export const benches: Bench[] = [
  {
    name: `tasks: ordered, taken and settled on PostgreSQL, ${lanes} at once, against the same no-op job on pg-boss`,
    unit: "×",
    budget: 3,
    rounds: 3,
    measure: async () => ours(await openServer()),
    baseline: async () => direct(await openServer()),
  },
];

let server: Promise<PostgresServer> | undefined;

/** Ends by itself with this process. */
function openServer(): Promise<PostgresServer> {
  server ??= openPostgres();
  return server;
}

async function ours(database: PostgresServer): Promise<number> {
  const owner = { pid: process.pid, startTime: "1", bootId: "boot" };
  const worker = { machineId: "bench", identity: owner, folder: "/project/.deckhand/tasks" };
  const store = await openPostgresTaskStore({
    scope: "app",
    address: await database.createDatabase(),
    clock: systemClock,
    worker,
  });
  await store.add(makeTask({}, { agent: "warm" }));
  const tasks = Array.from({ length: jobs }, () => makeTask());
  const figure = await microsecondsEach(async () => {
    await inLanes(async () => {
      const task = tasks.pop();
      return task !== undefined && (await store.add(task)) === task;
    });
    await inLanes(async () => {
      const task = await store.takeNext("claude", { limit: lanes, owner, now: 1 });
      if (!task) return false;
      const set = { state: "completed", completedAt: 2, result: "" } as const;
      return (await store.update(task.id, { from: ["running"], owner, set })) !== undefined;
    });
  });
  const done = await store.count({ states: ["completed"] });
  await store.close();
  if (done !== jobs) throw new Error(`${done} of ${jobs} tasks are done.`);
  return figure;
}

async function direct(database: PostgresServer): Promise<number> {
  const boss = new PgBoss({
    connectionString: await database.createDatabase(),
    max: lanes,
    supervise: false,
    schedule: false,
  });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue("claude", { retryLimit: 0 });
  let ordered = 0;
  let done = 0;
  const figure = await microsecondsEach(async () => {
    await inLanes(async () => ordered++ < jobs && (await boss.send("claude", { message: "Fix it" })) !== null);
    await inLanes(async () => {
      const [job] = await boss.fetch("claude");
      if (!job) return false;
      await boss.complete("claude", job.id);
      done += 1;
      return true;
    });
  });
  await boss.stop({ graceful: false });
  if (done !== jobs) throw new Error(`${done} of ${jobs} jobs are done.`);
  return figure;
}

/** Each lane does one after the other, until there is nothing left to do. */
async function inLanes(step: () => Promise<boolean>): Promise<void> {
  const lane = async (): Promise<void> => {
    while (await step());
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function microsecondsEach(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return ((performance.now() - began) * 1000) / jobs;
}
