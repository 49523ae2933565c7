import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { CrashLoop, Promotion } from "../../../src/core/stores.ts";
import { half, listen, openToolMachine, routes, shout, shouting, type ToolMachine } from "../../e2e/tool-machine.ts";

const minute = 60_000;

/** A loop that begins a second after the newest promotion, for which that one is to be blamed. */
function blameNewest(seen: (readonly Promotion[])[] = []): (promotions: readonly Promotion[]) => CrashLoop {
  return (promotions) => {
    seen.push(promotions);
    const promotion = promotions.findLast(({ rolledBackAt }) => rolledBackAt === null) ?? null;
    return { beganAt: (promotion?.at ?? 0) + 1000, deaths: 4, promotion };
  };
}

function readJournal({ workdir }: ToolMachine): Record<string, unknown>[] {
  const text = readFileSync(join(workdir, ".deckhand", "logs", "chat_log.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a stable version that began a crash loop is rolled back before any tool file is loaded, and told [D3 V5]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const first = await machine.open();
  const good = (await shout(first, "ses_1")).version;
  await machine.save(
    "shout.js",
    `import { appendFileSync } from "node:fs";
appendFileSync("loaded", "x");
${shouting("/* kills */")}`,
  );
  const guilty = (await shout(first, "ses_1")).version;
  assert.notEqual(guilty, good);
  await first.close();
  const loaded = join(machine.workdir, "loaded");
  assert.equal(existsSync(loaded), true);
  rmSync(loaded);

  const seen: (readonly Promotion[])[] = [];
  const runtime = await machine.open({}, { findCrashLoop: blameNewest(seen) });
  assert.deepEqual([seen.length, seen[0], seen[1]?.map(({ version }) => version)], [2, [], [guilty]]);
  const at = seen[1]![0]!.at;
  const reason = `A crash loop began 1 s after it came to more people: 4 deaths since ${new Date(at + 1000).toISOString()}.`;
  assert.ok(
    runtime.warnings.includes(
      `${guilty} was rolled back. ${reason} \`deckhand rollout resume shout\` lets it out again.`,
    ),
    runtime.warnings.join("\n"),
  );
  const call = await shout(runtime, "ses_2");
  assert.deepEqual([call.state, call.version, existsSync(loaded)], ["completed", good, false]);
  const [event] = await (await runtime.rollouts()).history({ limit: 1 });
  const { id: _, at: toldAt, ...told } = event!;
  assert.ok(toldAt >= at);
  const change = { tool: "shout", version: guilty, rolloutId: null, by: "rule", who: null, reason } as const;
  assert.deepEqual(told, { ...change, type: "rolled_back", figures: { kind: "hard", to: good } });
  const [view] = await (await runtime.rollouts()).list();
  assert.deepEqual([view?.stable, view?.isPinned], [good, true]);
  await runtime.close();

  const line = readJournal(machine).findLast(({ type }) => type === "rollout");
  assert.deepEqual([line?.["change"], line?.["tool_version"], line?.["reason"]], ["rolled_back", guilty, reason]);
  // The loop goes on: only one that could still be taken back is named.
  const next: (readonly Promotion[])[] = [];
  await machine.open({}, { findCrashLoop: blameNewest(next) });
  assert.deepEqual(
    next[1]!.map(({ version, rolledBackAt }) => [version, rolledBackAt !== null]),
    [[guilty, true]],
  );
});

test("what a person saves after such a rollback is live again [D3]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const first = await machine.open();
  await shout(first, "ses_1");
  await machine.save("shout.js", shouting("/* kills */"));
  await shout(first, "ses_1");
  await first.close();
  const runtime = await machine.open({}, { findCrashLoop: blameNewest() });
  await machine.save("shout.js", shouting("/* mended */"));
  await runtime.reloadTools();
  const [view] = await (await runtime.rollouts()).list();
  assert.equal((await shout(runtime, "ses_2")).version, view?.stable);
  assert.deepEqual([view?.isPinned, runtime.customTools().files[0]?.release], [false, "live"]);
});

test("a canary that began a crash loop is rolled back hard, and nobody gets it [D3 V5]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const before = await machine.open(half);
  await shout(before, "ses_0");
  await machine.save("shout.js", shouting("/* kills */"));
  await routes(before, 12);
  const [tried] = await (await before.rollouts()).list();
  assert.equal(tried?.status, "running");
  await before.close();

  const seen: (readonly Promotion[])[] = [];
  const runtime = await machine.open(half, { findCrashLoop: blameNewest(seen) });
  // To be replayed is enough: its code runs then.
  assert.deepEqual(
    seen[1]!.map(({ version }) => version),
    [tried.canary, tried.canary],
  );
  assert.deepEqual([...(await routes(runtime, 12))], [`stable ${tried.stable} completed`]);
  const [view] = await (await runtime.rollouts()).list();
  assert.deepEqual([view?.status, view?.percent, view?.isPinned, view?.stable], ["rolled_back", 0, true, tried.stable]);
});

test("without a crash loop, or with one that nobody is to blame for, nothing is taken back [D3]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const first = await machine.open();
  await shout(first, "ses_1");
  await machine.save("shout.js", shouting("/* fine */"));
  const live = (await shout(first, "ses_1")).version;
  await first.close();
  const nobody = { beganAt: Date.now() - minute, deaths: 5, promotion: null };
  for (const loop of [null, nobody]) {
    const runtime = await machine.open({}, { findCrashLoop: () => loop });
    const heard = listen(runtime);
    assert.equal((await shout(runtime, "ses_2")).version, live);
    assert.deepEqual(heard, []);
    await runtime.close();
  }
});

test("a finder that fails keeps no daemon from starting [D3]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const findCrashLoop = (): never => {
    throw new Error("the records are gone");
  };
  const runtime = await machine.open({}, { findCrashLoop });
  assert.equal((await shout(runtime, "ses_1")).state, "completed");
  const warning = "Whether a version of a tool began a crash loop could not be found out: the records are gone";
  assert.equal(runtime.warnings[0], warning);
});
