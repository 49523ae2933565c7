import { type AgentRun, type Runner, runAgent, type Scenario } from "./agent-run.ts";
import type { Bench } from "./bench.ts";

/** Against a loop by hand that does nothing else (`floor-loop.mjs`). Both read the same files for the same model. */
export const benches: readonly Bench[] = [
  {
    name: "agent: start to first request, against a loop by hand",
    unit: "×",
    budget: 1.6,
    rounds: 12,
    measure: () => startOf("deckhand"),
    baseline: () => startOf("floor"),
  },
  {
    name: "agent: own time per turn, 50 small reads, against a loop by hand",
    unit: "×",
    budget: 1.5,
    measure: () => gapOf("deckhand"),
    baseline: () => gapOf("floor"),
  },
  {
    name: "agent: memory at the first request",
    unit: "MB",
    budget: 90,
    rounds: 3,
    measure: async () => memoryOf(await runAgent("deckhand", oneTurn)).first,
  },
  {
    name: "agent: memory after 50 small reads",
    unit: "MB",
    budget: 110,
    rounds: 3,
    measure: async () => memoryOf(await runAgent("deckhand", smallReads)).last,
  },
  {
    name: "agent: growth of a turn over 200 turns of 5 kB, against a loop by hand",
    unit: "×",
    budget: 1,
    rounds: 3,
    measure: () => growthOf("deckhand"),
    baseline: () => growthOf("floor"),
  },
  {
    // Garbage aside: what is left after a collection. The conversation is 1 MB of text by then, kept once for the next
    // request and once as records of the calls.
    name: "agent: memory in use that 200 turns of 5 kB add",
    unit: "MB",
    budget: 8,
    rounds: 2,
    measure: liveGrowth,
  },
  {
    name: "agent: all memory that 200 turns of 5 kB add, against a loop by hand",
    unit: "×",
    rounds: 2,
    measure: () => memoryGrowthOf("deckhand"),
    baseline: () => memoryGrowthOf("floor"),
  },
  {
    name: "agent: tokens of system prompt and tools",
    unit: "tokens",
    budget: 2500,
    rounds: 1,
    measure: fixedTokens,
  },
  {
    name: "agent: calls of six that ended only after the reply",
    unit: "calls",
    budget: 0,
    rounds: 3,
    measure: lateCalls,
  },
];

const oneTurn: Scenario = { turns: 1, reads: 1, fileBytes: 60 };
const smallReads: Scenario = { turns: 50, reads: 1, fileBytes: 60 };
const manyTurns: Scenario = { turns: 200, reads: 1, fileBytes: 5000 };
/** The reply goes on for this long after each call. */
const sixCalls: Scenario = { turns: 1, reads: 6, fileBytes: 60, pauseMs: 300, asJson: true };

async function startOf(runner: Runner): Promise<number> {
  return (await runAgent(runner, oneTurn)).startMs;
}

async function gapOf(runner: Runner): Promise<number> {
  return median((await runAgent(runner, smallReads)).gapsMs);
}

/** What the last 20 turns take longer than 20 early ones that are warm already. */
async function growthOf(runner: Runner): Promise<number> {
  const { gapsMs } = await runAgent(runner, manyTurns);
  return Math.max(leastGrowthMs, quarter(gapsMs.slice(-20)) - quarter(gapsMs.slice(40, 60)));
}

/** Less than this can't be told from nothing. */
const leastGrowthMs = 0.5;

async function liveGrowth(): Promise<number> {
  const { output } = await runAgent("deckhand", { ...manyTurns, nodeFlags: ["--trace-gc"] });
  const collections = [...output.matchAll(/ Mark-Compact .*? -> ([\d.]+) \(/g)].map(([, megabytes]) =>
    Number(megabytes),
  );
  const [first, last] = [collections.at(0), collections.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`Node told of no collection: ${output.slice(0, 500)}`);
  return last - first;
}

async function memoryGrowthOf(runner: Runner): Promise<number> {
  const { first, last } = memoryOf(await runAgent(runner, manyTurns));
  return last - first;
}

function memoryOf({ turns }: AgentRun): { readonly first: number; readonly last: number } {
  const [first, last] = [turns.at(0)!.memoryMegabytes, turns.at(-1)!.memoryMegabytes];
  if (first === 0) throw new Error("The memory of another process can be looked up on Linux only.");
  return { first, last };
}

async function fixedTokens(): Promise<number> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  const { firstRequest } = await runAgent("deckhand", oneTurn);
  const { system, tools } = JSON.parse(firstRequest) as { system: unknown; tools: unknown };
  return countTokens(JSON.stringify(system)) + countTokens(JSON.stringify(tools));
}

async function lateCalls(): Promise<number> {
  const { output } = await runAgent("deckhand", sixCalls);
  const types = output
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { type: string }).type);
  const whole = types.indexOf("reply:finished");
  return 6 - types.slice(0, whole).filter((type) => type === "call:settled").length;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Undisturbed turns, and not by luck. */
function quarter(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)]!;
}
