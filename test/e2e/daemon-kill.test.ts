import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { count } from "../support/counts.ts";
import { until } from "../support/runtime.ts";
import { openDaemonMachine, residentMegabytes, type DaemonMachine } from "./daemon-machine.ts";

const slowAgent = join(import.meta.dirname, "..", "fixtures", "daemon", "slow-agent.sh");
const kills = count({ quick: 5, full: 200 });

interface RunRow {
  readonly id: string;
  readonly due_at: string;
  readonly started_at: string | null;
  readonly attempt: number;
  readonly state: string;
  readonly span: unknown;
}

test("a daemon killed with -9 under load is back each time: tasks adopted, no run twice, the log whole [D1 D2 D3 T6]", async (t) => {
  const agents = { slow: { command: ["sh", slowAgent, "1.5"], limit: 8 } };
  const machine = await openDaemonMachine(t, {
    settings: { agents, permissions: { allow: ["bash(echo *)"] }, limits: { max_agents: 8 } },
    // A kill is no crash loop, however soon the next one comes; one that comes before the first heartbeat was seen waits half a second.
    env: {
      WATCHDOG_MIN_UPTIME_SECONDS: "0.01",
      WATCHDOG_RESTART_BACKOFF_SECONDS: "0.5",
      WATCHDOG_MAX_BACKOFF_SECONDS: "0.5",
    },
  });
  let pid = await machine.ready();
  const tick = { command: 'echo "$DECKHAND_EXECUTION" >> ticks' };
  const job = ["schedule", "add", "tick", "--every", "1s", "--jitter", "0s", "--pause-after", "0"];
  await machine.json([...job, "--tool", "bash", "--input", JSON.stringify(tick), "--allow", "bash"]);

  const load = startLoad(machine);
  const backMs: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
    process.kill(pid, "SIGKILL");
    const killedAt = performance.now();
    pid = await machine.ready(pid);
    backMs.push(performance.now() - killedAt);
  }
  const tasks = await load.stop();
  t.diagnostic(`back after ${describeTimes(backMs)}; ${tasks.size} tasks, ${load.answered()} requests answered`);

  const answers = await until(
    "the end of all tasks",
    async () => {
      const found = await readTasks(machine, tasks);
      return found.every(({ isOver }) => isOver) ? found : undefined;
    },
    120_000,
  );
  assert.deepEqual(
    answers.map(({ id, state, answer }) => [id, state, answer]),
    [...tasks].map(([id, message]) => [id, "completed", `done: ${message}`]),
  );

  const watchdog = residentMegabytes(machine.dog.pid);
  assert.ok(watchdog <= 55, `The watchdog has ${watchdog} MB.`);
  const status = (await machine.json(["watchdog", "status"])) as Record<string, unknown>;
  assert.deepEqual([status["state"], status["restarts"], status["safe_mode"]], ["running", kills, false]);
  machine.dog.child.kill("SIGTERM");
  assert.equal((await machine.dog.ended).code, 143);

  assert.deepEqual(await machine.json(["calls", "list", "--running"]), []);
  await checkRuns(machine);
  const verified = (await machine.json(["log", "verify"])) as { readonly ok: boolean };
  assert.equal(verified.ok, true);
});

interface Load {
  answered(): number;
  /** The tasks that were started, with what they were told. */
  stop(): Promise<Map<string, string>>;
}

/** What people and programs do to a daemon, again and again: calls, reads, tasks over the API and over MCP. */
function startLoad({ ask }: DaemonMachine): Load {
  const tasks = new Map<string, string>();
  let isOver = false;
  let answered = 0;

  async function repeat(work: (number: number) => Promise<unknown>): Promise<void> {
    for (let number = 0; !isOver; number++) {
      if (await work(number)) answered += 1;
      else await new Promise((resolve) => setTimeout(resolve, 20)); // nobody is there
    }
  }

  /** Until it is answered: with its key it is one task, however often it is sent. */
  async function startTask(number: number): Promise<boolean> {
    const message = `task ${number}`;
    const order = { agent: "slow", message, idempotency_key: `key-${number}` };
    for (;;) {
      const answer = await ask("/api/tasks", order);
      if (answer?.status === 200) tasks.set(String(answer.body.id), message);
      if (answer?.status === 200) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function useAgent(number: number): Promise<boolean> {
    const message = `mcp ${number}`;
    const params = { name: "use_agent", arguments: { cli_name: "slow", message, idempotency_key: `mcp-${number}` } };
    for (;;) {
      const answer = await ask("/mcp", { jsonrpc: "2.0", id: number, method: "tools/call", params }, "mcp-token");
      const id = /task_[0-9a-f-]{36}/.exec(JSON.stringify(answer?.body ?? ""))?.[0];
      if (answer?.status === 200 && id) tasks.set(id, message);
      if (answer?.status === 200 && id) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  const pause = (work: (number: number) => Promise<unknown>) => async (number: number) => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    return work(number);
  };
  const all = [
    repeat(() => ask("/api/calls?limit=20")),
    repeat(() => ask("/api/tools/bash/call", { input: { command: "echo here" } })),
    repeat(() => ask("/api/log?limit=20")),
    repeat(pause(startTask)),
    repeat(pause(useAgent)),
  ];
  return {
    answered: () => answered,
    async stop() {
      isOver = true;
      await Promise.all(all);
      return tasks;
    },
  };
}

async function readTasks({ ask }: DaemonMachine, tasks: ReadonlyMap<string, string>) {
  const found = [];
  for (const id of tasks.keys()) {
    const task = await ask(`/api/tasks/${id}`);
    const state = String(task?.body.state);
    const isOver = task?.status === 200 && state !== "running" && state !== "queued";
    const output = isOver ? await ask(`/api/tasks/${id}/output`) : null;
    found.push({ id, state, isOver, answer: String(output?.body.text ?? "").trim() });
  }
  return found;
}

/** Each due time has one row, and each row that was started one call at the most. */
async function checkRuns(machine: DaemonMachine): Promise<void> {
  const history = ["schedule", "history", "tick", "--limit", "10000"];
  const rows = ((await machine.json(history)) as RunRow[]).toReversed();
  const due = rows.filter(({ span }) => span === null).map((row) => row.due_at);
  assert.equal(new Set(due).size, due.length);
  assert.deepEqual(
    rows.filter(({ attempt }) => attempt > 1),
    [],
  );
  const started = rows.filter(({ started_at: at }) => at !== null);
  assert.ok(started.length > 0);

  const calls = (await machine.json(["calls", "list", "--tool", "bash", "--limit", "100000"])) as {
    readonly id: string;
    readonly door: string;
    readonly created_at: string;
  }[];
  const ticks = readFileSync(join(machine.workdir, "ticks"), "utf8").trimEnd().split("\n");
  assert.equal(new Set(ticks).size, ticks.length);
  const scheduled = calls.filter(({ door }) => door === "schedule");
  assert.deepEqual(
    ticks.filter((id) => !scheduled.some((call) => call.id === id)),
    [],
  );
  // Runs of one job do not overlap: a call belongs to the last one that had begun.
  const rowOf = (createdAt: string) => started.findLast(({ started_at: at }) => at! <= createdAt)?.id;
  const acted = scheduled.map((call) => rowOf(call.created_at));
  assert.equal(new Set(acted).size, acted.length, "a run acted twice");
}

function describeTimes(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!);
  return `${at(0)} ms at best, p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, at worst ${at(1)} (${times.length} kills)`;
}
