import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/core/clock.ts";
import type { Execution } from "../src/core/call.ts";
import type { ExecutionStore } from "../src/core/stores.ts";
import { createId } from "../src/core/ids.ts";
import type { Replay } from "../src/core/tool.ts";
import { createMemoryStore } from "../src/records/memory/memory-call-store.ts";
import { openSqliteStore } from "../src/records/sqlite/sqlite-call-store.ts";
import { createStoreLedger } from "../src/records/ledger.ts";
import { complete, makeExecution } from "../test/contract/make-execution.ts";
import type { Bench } from "./bench.ts";

const rows = 100_000;

export const benches: Bench[] = [
  ledgerBench("memory", "safe"),
  ledgerBench("sqlite", "safe"),
  ledgerBench("sqlite", "never"),
  largeStoreBench("list the newest 10", 2, (store) => store.list({ limit: 10 })),
  largeStoreBench("get one by id", 1, (store, ids) => store.get(ids[rows / 2]!)),
  largeStoreBench("list what runs now", 1, (store) => store.list({ limit: 10, states: ["pending", "running"] })),
  {
    name: `store: longest stall while pruning ${rows} rows`,
    unit: "ms",
    budget: 60,
    rounds: 1,
    measure: () => withLargeStore((store) => longestStall(() => store.prune(Number.MAX_SAFE_INTEGER))),
  },
  {
    name: `store: longest stall while looking for a rare tool in ${rows} rows`,
    unit: "ms",
    budget: 30,
    rounds: 1,
    measure: () => withLargeStore((store) => longestStall(() => store.list({ limit: 10, toolId: "rare" }))),
  },
];

/** The ledger's share of one call that does nothing, opened and settled together. The budget is the whole's: `tracking`. */
function ledgerBench(kind: "memory" | "sqlite", replay: Replay): Bench {
  return {
    name: `store: opened + settled, ${kind}, ${replay === "safe" ? "safe to repeat" : "committed first"}`,
    unit: "µs",
    async measure() {
      const calls = kind === "memory" ? 100_000 : 3000;
      const executions = Array.from({ length: calls }, () => makeExecution({ conversationId: "ses_1" }));
      const settled = executions.map((execution) => complete(execution));
      return withStore(kind, async (store) => {
        const ledger = createStoreLedger({ store, clock: systemClock, onFailed: ({ error }) => console.error(error) });
        const began = performance.now();
        for (let index = 0; index < calls; index++) {
          await ledger.opened(executions[index]!, replay);
          await ledger.settled(settled[index]!, replay);
        }
        await ledger.flush();
        return ((performance.now() - began) / calls) * 1000;
      });
    },
  };
}

function largeStoreBench(
  what: string,
  budget: number,
  ask: (store: ExecutionStore, ids: readonly string[]) => Promise<unknown>,
): Bench {
  return {
    name: `store: ${what} of ${rows}`,
    unit: "ms",
    budget,
    rounds: 1,
    measure: () =>
      withLargeStore(async (store, ids) => {
        const began = performance.now();
        for (let index = 0; index < 100; index++) await ask(store, ids);
        return (performance.now() - began) / 100;
      }),
  };
}

async function withStore<Result>(
  kind: "memory" | "sqlite",
  work: (store: ExecutionStore) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const store =
    kind === "memory"
      ? createMemoryStore()
      : await openSqliteStore({ path: join(folder, "deckhand.db"), clock: systemClock });
  try {
    return await work(store);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

function withLargeStore(work: (store: ExecutionStore, ids: readonly string[]) => Promise<number>): Promise<number> {
  return withStore("sqlite", async (store) => {
    const ids: string[] = [];
    while (ids.length < rows) {
      const batch = Array.from({ length: 1000 }, (): Execution => complete(makeExecution({ id: newId() })));
      await store.save(batch);
      ids.push(...batch.map(({ id }) => id));
    }
    return work(store, ids);
  });
}

function newId(): string {
  return createId("call", Date.now());
}

async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let [longestMs, last] = [0, performance.now()];
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }, 1);
  await work();
  clearInterval(timer);
  return longestMs;
}
