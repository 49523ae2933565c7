import type { Bench } from "./bench.ts";
import { loadDaemon } from "./daemon-load.ts";

const load = { seconds: 60, streams: 200, rate: 500 };

export const benches: readonly Bench[] = [
  {
    name: "daemon: p99 of 500 requests a second for 60 s beside 200 event streams",
    unit: "ms",
    budget: 50,
    rounds: 1,
    async measure() {
      const { p99Ms, statuses, cutStreams } = await loadDaemon(load);
      const bad = Object.entries(statuses).filter(([status]) => status !== "200");
      if (bad.length > 0 || cutStreams > 0) {
        throw new Error(`Not all was answered: ${JSON.stringify(statuses)}, ${cutStreams} streams were cut.`);
      }
      return p99Ms;
    },
  },
  {
    name: "daemon: memory at the end of that load, against ten seconds into it",
    unit: "×",
    budget: 1.25,
    rounds: 1,
    async measure() {
      const { memoryMb } = await loadDaemon(load);
      return memoryMb.end / memoryMb.early;
    },
  },
];
