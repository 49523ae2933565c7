import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/core/clock.ts";
import { createId } from "../src/core/ids.ts";
import { createRuntime, type Runtime } from "../src/runtime/create-runtime.ts";
import { openDatabase } from "../src/records/sqlite/database.ts";
import { createSqliteTaskStore } from "../src/records/sqlite/sqlite-task-store.ts";
import { makeTask } from "../test/contract/make-task.ts";
import type { Bench } from "./bench.ts";

const orders = 300;
const looks = 2000;

export const benches: Bench[] = [
  {
    name: `tasks: use_agent answers, p99 of ${orders}, with 10,000 tasks stored`,
    unit: "ms",
    budget: 50,
    rounds: 3,
    measure: () => withStored(10_000, orderMany),
  },
  {
    name: "tasks: get_task_status among 100,000",
    unit: "ms",
    budget: 1,
    rounds: 1,
    measure: () => withStored(100_000, async (runtime, ids) => mean(await lookOften(runtime, ids))),
  },
  {
    name: `tasks: get_task_status among 100,000, p99 of ${looks}`,
    unit: "ms",
    budget: 5,
    rounds: 1,
    measure: () => withStored(100_000, async (runtime, ids) => p99(await lookOften(runtime, ids))),
  },
];

/** What starts, starts meanwhile: an agent that does nothing, four at a time. */
async function orderMany(runtime: Runtime): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < orders; n++) {
    const began = performance.now();
    const { state, error } = await runtime.call("use_agent", { cli_name: "nothing", message: `job ${n}` });
    took.push(performance.now() - began);
    if (state !== "completed") throw new Error(error ?? state);
  }
  return p99(took);
}

async function lookOften(runtime: Runtime, ids: readonly string[]): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < looks; n++) {
    const began = performance.now();
    const { result } = await runtime.call("get_task_status", { task_id: ids[(n * 7919) % ids.length] });
    took.push(performance.now() - began);
    if (!result?.output?.startsWith('{"status":"completed"')) throw new Error(result?.output);
  }
  return took;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1]!;
}

async function withStored(
  count: number,
  work: (runtime: Runtime, ids: readonly string[]) => Promise<number>,
): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const env = { PATH: process.env["PATH"], HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: home };
  const settings = {
    agents: { nothing: { command: ["true"] as [string] } },
    permissions: { allow: ["use_agent"] },
  };
  const runtime = await createRuntime({ workdir: home, env, settings });
  try {
    const ids = await store(join(home, ".deckhand", "deckhand.db"), count);
    await runtime.tasks();
    return await work(runtime, ids);
  } finally {
    await runtime.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Tasks of an agent that is none here, so that nothing of them is started. */
async function store(path: string, count: number): Promise<string[]> {
  const tasks = createSqliteTaskStore(await openDatabase({ path, clock: systemClock }));
  const now = Date.now();
  const ids = Array.from({ length: count }, () => createId("task", now));
  for (const id of ids) {
    await tasks.add(makeTask({ id, state: "completed", createdAt: now, completedAt: now, result: "Done." }));
  }
  await tasks.close();
  return ids;
}
