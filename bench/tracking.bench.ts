import type { Bench } from "./bench.ts";
import { benchRuntime, microsecondsEach, nothingOnce, nothingSafe } from "./support.ts";

interface Tracked {
  readonly name: string;
  readonly budget: number;
  readonly store: "memory" | "sqlite";
  readonly tool: typeof nothingSafe;
  readonly calls: number;
}

/** All of a call but a person: resolve, check, guard, permit, route, record, run, settle, events. */
function tracking({ name, budget, store, tool, calls }: Tracked): Bench {
  const open = once(() => benchRuntime(store, [tool]));
  return {
    name: `tracking of a no-op call, ${name}`,
    unit: "µs",
    budget,
    rounds: 7,
    async measure() {
      const runtime = await open();
      return microsecondsEach(calls, async (n) => {
        const { state } = await runtime.call("nothing", { n });
        if (state !== "completed") throw new Error(`The call ended as ${state}.`);
      });
    },
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

const direct = (): Promise<number> => microsecondsEach(20_000, (n) => nothingSafe.run({ n }, undefined as never));

const inMemory: Tracked = { name: "memory store", budget: 8, store: "memory", tool: nothingSafe, calls: 20_000 };

export const benches: readonly Bench[] = [
  tracking(inMemory),
  tracking({ name: "SQLite, safe to repeat", budget: 25, store: "sqlite", tool: nothingSafe, calls: 10_000 }),
  tracking({ name: "SQLite, committed before it runs", budget: 120, store: "sqlite", tool: nothingOnce, calls: 3_000 }),
  // The leanest peer that tracks its calls, the in-memory client of the MCP SDK, was measured at 99 to 109 times a direct call.
  {
    ...tracking({ ...inMemory, name: "memory store, against a direct call", budget: 99 }),
    unit: "×",
    baseline: direct,
  },
];
