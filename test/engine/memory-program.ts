// Prints the memory that is left in megabytes after some calls and after many more: `node --expose-gc memory-program.ts 20000`.
// A program of its own, because the test runner remembers every promise that is made under it.
import { setImmediate as nextTurn } from "node:timers/promises";
import { looseTool, setUpEngine, type EngineUnderTest } from "../support/engine.ts";

/** What is left of memory after a round of calls, in megabytes. */
async function memoryAfter(round: () => Promise<void>): Promise<number> {
  await round();
  let least = Number.POSITIVE_INFINITY;
  for (let left = 5; left > 0; left--) {
    await nextTurn();
    globalThis.gc!();
    least = Math.min(least, process.memoryUsage().heapUsed / 1e6);
  }
  return least;
}

const run = (input: Record<string, unknown>) =>
  Promise.resolve(
    input["fails"] === true
      ? ({ ok: false, error: `no ${"x".repeat(1000)}` } as const)
      : ({ ok: true, output: "y".repeat(1000) } as const),
  );
const tools = [looseTool({ name: "work", run, traits: { readOnly: true }, resources: () => [] })];

/** Calls of every kind: good, failed, unknown, cancelled, with a signal that outlives them, alone and in batches. */
async function callMany({ engine }: EngineUnderTest, calls: number, signal: AbortSignal): Promise<void> {
  for (let at = 0; at < calls; at += 10) {
    const conversationId = `${at}`;
    const batch = engine.openBatch({ conversationId, signal });
    for (let each = 0; each < 5; each++) {
      batch.add({ tool: "work", input: { at, each, fails: each === 0, text: "z".repeat(500) } });
    }
    const cancelled = engine.call({ tool: "work", input: { at }, signal });
    engine.cancel(cancelled.id, "no");
    await Promise.all([
      batch.end(),
      cancelled,
      engine.call({ tool: `nope${at}`, signal }),
      engine.call({ tool: "work", inputText: "{", signal }),
      engine.call({ tool: "work", input: { fails: true, at, text: "z".repeat(5000) } }),
      engine.call({ tool: "work", input: { at }, signal, conversationId }),
    ]);
  }
}

const bench = setUpEngine({ tools });
const { signal } = new AbortController();

async function callAndForget(calls: number): Promise<void> {
  for (let left = calls; left > 0; left -= 1000) {
    await callMany(bench, Math.min(left, 1000), signal);
    bench.events.length = 0;
    bench.ledger.openedWith.length = 0;
    bench.ledger.settledWith.length = 0;
  }
}

// The first calls fill what is bounded: history, conversations, failure guards.
const before = await memoryAfter(() => callAndForget(20_000));
const after = await memoryAfter(() => callAndForget(Number(process.argv[2])));
console.log(JSON.stringify({ before, after, underWay: bench.engine.underWay().length }));
