import type { Bench } from "./bench.ts";
import { benchRuntime, microsecondsEach, nothingOnce, nothingSafe } from "./support.ts";

/** All of a call but a person: resolve, check, guard, permit, route, record, run, settle, events. */
function tracking(name: string, budget: number, store: "memory" | "sqlite", tool: typeof nothingSafe, calls: number): Bench {
  const runtime = once(() => benchRuntime(store, [tool]));
  return {
    name: `tracking of a no-op call, ${name}`,
    unit: "µs",
    budget,
    rounds: 7,
    async measure() {
      const { call } = await runtime();
      return microsecondsEach(calls, async (n) => {
        const { state } = await call("nothing", { n });
        if (state !== "completed") throw new Error(`The call ended as ${state}.`);
      });
    },
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

const direct = (): Promise<number> =>
  microsecondsEach(20_000, (n) => nothingSafe.run({ n }, undefined as never));

export const benches: readonly Bench[] = [
  tracking("memory store", 8, "memory", nothingSafe, 20_000),
  tracking("SQLite, safe to repeat", 25, "sqlite", nothingSafe, 10_000),
  tracking("SQLite, committed before it runs", 120, "sqlite", nothingOnce, 3_000),
  {
    ...tracking("memory store, against a direct call", 0, "memory", nothingSafe, 20_000),
    unit: "×",
    budget: 80,
    baseline: direct,
  },
];
