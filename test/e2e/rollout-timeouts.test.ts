import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import type { Execution } from "../../src/core/call.ts";
import type { Runtime } from "../../src/runtime/create-runtime.ts";
import { until } from "../support/runtime.ts";
import { half, openToolMachine, shouting, type ToolMachine } from "./tool-machine.ts";

/** The limit of the tool; on the test's clock it is over when the test says so. */
const limitMs = 7777;
const hangs = 'if (input.text === "hang") return new Promise(() => setInterval(() => {}, 1000));';

interface Trial {
  readonly machine: ToolMachine;
  readonly runtime: Runtime;
  /** How many runs have the limit before them. */
  readonly limits: () => number;
  /** The limit of the oldest one of them is over. */
  readonly endLimit: () => void;
  /** A call of this text in a conversation that gets this version, when it has begun. */
  readonly begin: (
    route: Execution["route"],
    text: string,
  ) => Promise<{ readonly id: string; readonly call: Promise<Execution> }>;
  /** The lines of the log that say what stable did with calls that timed out. */
  readonly verified: () => Promise<Record<string, unknown>[]>;
}

/** `shout` with a version on trial. */
async function openTrial(
  t: TestContext,
  versions: { readonly stable: string; readonly canary: string; readonly traits?: Readonly<Record<string, unknown>> },
): Promise<Trial> {
  const { traits = { read_only: true } } = versions;
  const version = (body: string): string => shouting(body, { traits, more: { timeout_ms: limitMs } });
  const machine = await openToolMachine(t, { "shout.js": version(versions.stable) });
  const timers = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    after(delayMs, callback) {
      if (delayMs !== limitMs) return systemClock.after(delayMs, callback);
      timers.add(callback);
      return () => void timers.delete(callback);
    },
  };
  const runtime = await machine.open(half, { clock });
  await runtime.call("shout", { text: "a" });
  await machine.save("shout.js", version(versions.canary));
  const conversations: Record<string, string[]> = { canary: [], stable: [] };
  for (let each = 0; each < 100 && Object.values(conversations).some(({ length }) => length < 3); each++) {
    const conversationId = `ses_${each}`;
    const { route } = await runtime.call("shout", { text: "b" }, { conversationId });
    conversations[route!]!.push(conversationId);
  }
  return {
    machine,
    runtime,
    limits: () => timers.size,
    endLimit: () => [...timers][0]!(),
    async begin(route, text) {
      const before = timers.size;
      const call = runtime.call("shout", { text }, { conversationId: conversations[route!]!.pop()! });
      await until("the call has begun", () => timers.size > before);
      return { id: call.id, call: call.then((execution) => execution) };
    },
    async verified() {
      const log = await readFile(join(machine.workdir, ".deckhand", "logs", "chat_log.jsonl"), "utf8");
      const lines = log
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
      return lines.filter(({ change }) => change === "verified");
    },
  };
}

/** What the trial counts, and by what it judges. */
async function evidence(runtime: Runtime) {
  const { lanes } = await (await runtime.rollouts()).explain("shout");
  const { canary, stable, judgedBy, judgedFailures } = lanes.live!.evidence;
  return { canary: canary.timeouts, stable: stable.timeouts, judgedBy, judgedFailures };
}

test("a call that ran into its limit is run again on stable after its answer, in both versions alike [V9]", async (t) => {
  const trial = await openTrial(t, { stable: hangs.replace("hang", "slow"), canary: `/* new */ ${hangs}` });
  const { runtime, endLimit } = trial;
  const hanging = await trial.begin("canary", "hang");
  endLimit();
  const execution = await hanging.call;
  assert.deepEqual([execution.state, execution.route, execution.error], ["timeout", "canary", "Timeout after 7.777 s"]);
  const [line] = await until("it was run again", async () => {
    const lines = await trial.verified();
    return lines.length === 1 && lines;
  });
  const { stable, canary } = (await (await runtime.rollouts()).list("shout"))[0]!;
  assert.deepEqual(
    [line?.["type"], line?.["tool_version"], line?.["execution_id"], line?.["reason"]],
    [
      "rollout",
      stable,
      execution.id,
      `The call ran into its limit of 7.8 s on ${canary} (canary). It was run again on ${stable} afterwards, where it succeeded; that result was dropped.`,
    ],
  );
  // It is no call of anyone, and what the caller got stays.
  assert.deepEqual((await runtime.get(execution.id))?.state, "timeout");
  const calls = await runtime.list({ toolId: "shout", limit: 1000 });
  assert.equal(calls.filter(({ toolInput }) => JSON.stringify(toolInput).includes("hang")).length, 1);
  assert.deepEqual(await evidence(runtime), { canary: 1, stable: 0, judgedBy: "failures", judgedFailures: 1 });
  const { harm } = await (await runtime.rollouts()).explain("shout");
  assert.deepEqual(
    harm?.calls.map(({ error }) => error),
    ["Timeout after 7.777 s"],
  );

  // Stable hangs too: that is known of it as well, and from now on only what stable does not share counts.
  const slow = await trial.begin("stable", "slow");
  endLimit();
  assert.equal((await slow.call).state, "timeout");
  await until("it runs again", () => trial.limits() === 1);
  const beside = await trial.begin("stable", "slow");
  endLimit();
  const lines = await until("it was run again", async () => {
    const found = await trial.verified();
    return found.length === 2 && found;
  });
  assert.match(
    String(lines[1]!["reason"]),
    /\(stable\)\. It was run again on \S+ afterwards, where it ran into the same limit\.$/,
  );
  assert.deepEqual(await evidence(runtime), { canary: 1, stable: 1, judgedBy: "pairs", judgedFailures: 1 });
  // Its process was ended; the call that runs on the same version is in another one.
  await runtime.cancel(beside.id, "enough");
  assert.equal((await beside.call).state, "cancelled");
});

test("a call of a tool that changes things is not run again after its limit [V9]", async (t) => {
  const trial = await openTrial(t, { stable: "", canary: hangs, traits: { risk: "low", idempotent: true } });
  const { call } = await trial.begin("canary", "hang");
  trial.endLimit();
  assert.equal((await call).state, "timeout");
  await trial.runtime.close();
  assert.deepEqual(await trial.verified(), []);
});

test("closing ends what runs again on stable, and nothing is counted of it [V9]", async (t) => {
  const trial = await openTrial(t, { stable: hangs, canary: `/* new */ ${hangs}` });
  const { call } = await trial.begin("canary", "hang");
  trial.endLimit();
  assert.equal((await call).state, "timeout");
  await until("it runs again", () => trial.limits() === 1);
  await trial.runtime.close();
  assert.equal(trial.limits(), 0);
  assert.deepEqual(await trial.verified(), []);
});
