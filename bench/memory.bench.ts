import type { Bench } from "./bench.ts";
import { benchRuntime, nothingSafe } from "./support.ts";

const megabytes = (bytes: number): number => bytes / 1024 / 1024;

function usedMegabytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return megabytes(process.memoryUsage().heapUsed + process.memoryUsage().external);
}

async function growthOfAMillionCalls(store: "memory" | "sqlite"): Promise<number> {
  const runtime = await benchRuntime(store, [nothingSafe]);
  // A listener makes sure that events are delivered and let go, too.
  let settled = 0;
  runtime.on("execution:settled", () => (settled += 1));
  const run = async (calls: number): Promise<void> => {
    for (let n = 0; n < calls; n++) await runtime.call("nothing", { n });
  };
  await run(10_000);
  const before = usedMegabytes();
  await run(990_000);
  const after = usedMegabytes();
  await runtime.close();
  if (settled !== 1_000_000) throw new Error(`1,000,000 calls, but ${settled} settled events.`);
  return after - before;
}

export const benches: readonly Bench[] = [
  {
    name: "memory growth over 1,000,000 calls after the first 10,000, memory store",
    unit: "MB",
    budget: 5,
    rounds: 1,
    measure: () => growthOfAMillionCalls("memory"),
  },
  {
    name: "memory growth over 1,000,000 calls after the first 10,000, SQLite",
    unit: "MB",
    budget: 5,
    rounds: 1,
    measure: () => growthOfAMillionCalls("sqlite"),
  },
  {
    name: "50 MB of command output: peak memory over an empty command",
    unit: "MB",
    budget: 15,
    rounds: 1,
    async measure() {
      const runtime = await benchRuntime("sqlite", []);
      await runtime.call("bash", { command: "true" });
      globalThis.gc?.();
      const before = process.resourceUsage().maxRSS / 1024;
      const execution = await runtime.call("bash", { command: "yes 0123456789abcdef | head -c 52428800" });
      const after = process.resourceUsage().maxRSS / 1024;
      await runtime.close();
      if (execution.outputBytes !== 52_428_800) throw new Error(`Expected 50 MB, got ${execution.outputBytes} bytes.`);
      return after - before;
    },
  },
];
