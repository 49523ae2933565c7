import { spawnSync } from "node:child_process";
import type { Bench } from "./bench.ts";

function millisecondsOf(args: readonly string[]): number {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - begin;
}

export const benches: readonly Bench[] = [
  {
    name: "start: deckhand --version, against node -e 0",
    unit: "×",
    budget: 1.3,
    rounds: 15,
    measure: () => millisecondsOf(["bin/deckhand.js", "--version"]),
    baseline: () => millisecondsOf(["-e", "0"]),
  },
  {
    name: "start: deckhand tools, against node -e 0",
    unit: "×",
    rounds: 15,
    measure: () => millisecondsOf(["bin/deckhand.js", "tools"]),
    baseline: () => millisecondsOf(["-e", "0"]),
  },
];
