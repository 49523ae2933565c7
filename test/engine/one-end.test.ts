import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import fc from "fast-check";
import { isFinal, type Execution } from "../../src/core/call.ts";
import { count } from "../support/counts.ts";
import { setUpWorld, type Command, type Script, type World } from "./one-end-world.ts";

const script: fc.Arbitrary<Script> = fc.record({
  tool: fc.constantFrom("returns", "fails", "throws", "throws at once", "waits", "ignores", "asks", "shows progress"),
  permit: fc.oneof(
    { weight: 5, arbitrary: fc.constant("allows" as const) },
    { weight: 4, arbitrary: fc.constantFrom("allows later", "denies", "throws", "rejects", "hangs", "says nonsense") },
  ),
  opened: fc.oneof(
    { weight: 5, arbitrary: fc.constant("at once" as const) },
    { weight: 4, arbitrary: fc.constantFrom("later", "rejects", "throws") },
  ),
  settled: fc.oneof(
    { weight: 5, arbitrary: fc.constant("at once" as const) },
    { weight: 4, arbitrary: fc.constantFrom("later", "rejects", "throws") },
  ),
  way: fc.constantFrom("call", "batch", "batch that writes", "batch that writes everything"),
  aborted: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const at = fc.nat({ max: 5 });
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ type: fc.constant("call" as const) }),
  fc.record({ type: fc.constant("call" as const) }),
  fc.record({ type: fc.constant("tick" as const), microtasks: fc.nat({ max: 8 }) }),
  fc.record({ type: fc.constant("turn" as const) }),
  fc.record({ type: fc.constant("advance" as const), ms: fc.constantFrom(1, 50, 100, 400, 1000) }),
  fc.record({ type: fc.constant("cancel" as const), at }),
  fc.record({ type: fc.constant("abort" as const), at }),
  fc.record({ type: fc.constant("abort batch" as const) }),
  fc.record({
    type: fc.constant("open" as const),
    at,
    gate: fc.constantFrom("tool", "permit", "opened", "settled", "answer"),
  }),
);

test("any order of finish, throw, cancel, limits, denial and failing records gives exactly one end [E1 E8 P8]", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(script, { minLength: 1, maxLength: 6 }),
      fc.array(command, { maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      async (scripts, commands, maxParallel) => {
        const world = setUpWorld(scripts, maxParallel);
        for (const each of commands) await world.obey(each);
        await world.finish();
        for (const execution of world.executions) assertTruthful(world, execution);
        await assertNothingLeft(world, maxParallel);
      },
    ),
    { numRuns: count({ quick: 400, full: 20_000 }) },
  );
});

/** One final state, entered once, recorded once, told once, and a record that agrees with itself. */
function assertTruthful(world: World, execution: Execution): void {
  const { id, state, runPhase, stopCause, errorType } = execution;
  assert.ok(isFinal(state), state);
  const told = world.events.filter((event) => "id" in event && event.id === id);
  const types = told
    .map(({ type }) => type)
    .filter((type) => type !== "execution:progressed" && type !== "ledger:failed");
  const started = runPhase === "not_started" ? [] : ["execution:started"];
  assert.deepEqual(types, ["execution:created", ...started, "execution:settled"]);
  const settled = world.ledger.settledWith.filter((entry) => entry.execution.id === id);
  assert.deepEqual(
    settled.map((entry) => [entry.execution.state, entry.execution.error]),
    [[state, execution.error]],
  );
  assert.ok(world.ledger.openedWith.filter((entry) => entry.execution.id === id).length <= 1);

  assert.equal(execution.startedAt === null, runPhase === "not_started");
  assert.equal(execution.durationMs === null, runPhase === "not_started");
  assert.equal(execution.error === null, state === "completed");
  if (state === "completed") assert.equal(runPhase, "returned");
  if (state === "timeout") assert.ok((stopCause === "wall" || stopCause === "idle") && errorType === "timeout");
  else assert.ok(stopCause === null || stopCause === "cancel");
  if (state === "cancelled") assert.equal(stopCause === null, errorType === "denied");
  if (state === "failed" || state === "completed") assert.equal(stopCause, null);
  if (runPhase === "started") assert.equal(execution.stopProof, "none");
  if (runPhase === "threw" && stopCause === null) assert.equal(errorType, "threw");
  assert.deepEqual(world.engine.get(id)?.state, state);

  const said = world.cancels.filter((cancel) => cancel.id === id).map((cancel) => cancel.worked);
  assert.ok(said.filter(Boolean).length <= 1, "cancel worked twice");
  if (said.includes(true)) assert.equal(state, "cancelled");
}

async function assertNothingLeft(world: World, maxParallel: number): Promise<void> {
  assert.deepEqual(world.engine.underWay(), []);
  assert.equal(world.clock.waiting, 0);
  for (const signal of world.signals) assert.equal(getEventListeners(signal, "abort").length, 0);
  assert.deepEqual(
    world.events.map(({ seq }) => seq),
    world.events.map((_, index) => index + 1),
  );
  assert.equal(await world.freeSlots(), maxParallel);
  const before = structuredClone(world.executions);
  await world.wakeTheForgotten();
  assert.deepEqual(world.executions, before);
}
