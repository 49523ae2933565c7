import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import type { RuntimeEvent } from "../../src/core/events.ts";
import type { Runtime } from "../../src/runtime/create-runtime.ts";
import { improve, initials, mended, recordCalls, replying } from "../tool-files/improve/improve-bench.ts";
import { canary, stillClock, half, listen, openToolMachine, routes, shout, shouting } from "./tool-machine.ts";

async function hostsOf(runtime: Runtime): Promise<number> {
  const { result } = await runtime.call("tool_registry_status");
  const { processes } = JSON.parse(result?.output ?? "") as { processes: { is_retired: boolean }[] };
  return processes.filter((each) => !each.is_retired).length;
}

test("what improve made gets into the file once it is stable [V7]", async (t) => {
  const machine = await openToolMachine(t, {});
  const { workdir, env } = machine;
  await recordCalls({ workdir, env });
  const file = join(workdir, "tools", "initials.ts");
  const runtime = await machine.open();
  const { improvement } = await improve(runtime, [replying(mended)], { isDryRun: false });
  assert.equal(improvement.outcome, "started", improvement.sentence);
  assert.equal(await readFile(file, "utf8"), initials);
  const rollouts = await runtime.rollouts();
  assert.equal((await rollouts.list("initials"))[0]?.status, "running");
  await rollouts.promote("initials", { to: "all" });
  assert.equal(await readFile(file, "utf8"), mended);
  const { version, state } = await runtime.call("initials", { name: "Grace Hopper" });
  assert.deepEqual([version, state], [improvement.to, "completed"]);

  // From now on the file is the person's again: an edit is not undone.
  const edited = mended.replace("first letters", "initials");
  await writeFile(file, edited);
  for (let index = 0; index < 3; index++) await runtime.call("initials", { name: "Kurt Godel" });
  assert.equal(await readFile(file, "utf8"), edited);
});

test("what improve made never takes the place of what a person wrote meanwhile [V7]", async (t) => {
  const machine = await openToolMachine(t, {});
  const { workdir, env } = machine;
  await recordCalls({ workdir, env });
  const file = join(workdir, "tools", "initials.ts");
  const runtime = await machine.open(canary);
  const { improvement } = await improve(runtime, [replying(mended)], { isDryRun: false });
  assert.equal(improvement.outcome, "started", improvement.sentence);
  const edited = initials.replace("first letters", "initials");
  await writeFile(file, edited);
  const rollouts = await runtime.rollouts();
  // Before anybody has looked at the file.
  await rollouts.promote("initials", { to: "all" });
  assert.equal(await readFile(file, "utf8"), edited);
  for (let index = 0; index < 3; index++) await runtime.call("initials", { name: "Kurt Godel", style: "lower" });
  assert.equal(await readFile(file, "utf8"), edited);
  const [view] = await rollouts.list("initials");
  assert.equal(view?.stable, improvement.to);
  assert.notEqual(view?.canary, null);
});

test("what was begun goes on in a process where rollouts are off: nobody gets it by mistake [V5]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const first = await machine.open(half);
  await shout(first, "ses_0");
  await machine.save("shout.js", shouting("/* new */"));
  await shout(first, "ses_0");
  const [before] = await (await first.rollouts()).list("shout");
  await first.close();
  const runtime = await machine.open({ rollout: { mode: "off" } });
  assert.equal((await routes(runtime, 20)).size, 2);
  const rollouts = await runtime.rollouts();
  const [after] = await rollouts.list("shout");
  assert.deepEqual([after?.status, after?.canary, after?.percent], ["running", before?.canary, 50]);
  await rollouts.rollback("shout", { kind: "soft" });
  await runtime.close();
  const next = await machine.open({ rollout: { mode: "off" } });
  assert.deepEqual(await routes(next, 5), new Set([`stable ${before?.stable} completed`]));
  assert.equal((await (await next.rollouts()).list("shout"))[0]?.status, "rolled_back");
});

test("description and schema stay those of stable while another version is tried, and change once [C8 V1]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("", { description: "Old." }) });
  const runtime = await machine.open(half);
  await shout(runtime, "ses_0");
  const old = runtime.tools.resolve("shout");
  await machine.save("shout.js", shouting("", { description: "New." }));
  const seen = await routes(runtime, 20);
  assert.equal(seen.size, 2);
  assert.equal(runtime.tools.resolve("shout"), old);
  await (await runtime.rollouts()).promote("shout", { to: "all" });
  await runtime.prepareTools();
  assert.equal(runtime.tools.resolve("shout")?.description, "New.");
});

test("what can't run beside stable waits for a person: other traits, or an input that takes less [V1]", async (t) => {
  const other = { traits: { read_only: false, risk: "low" } };
  const narrower = {
    more: { input_schema: { type: "object", properties: { text: { const: "b" } }, required: ["text"] } },
  };
  for (const change of [other, narrower]) {
    const machine = await openToolMachine(t, { "shout.js": shouting("") });
    const runtime = await machine.open(half);
    const { version } = await shout(runtime, "ses_0");
    await machine.save("shout.js", shouting("/* new */", change));
    if (change === other) {
      // Other traits need approval first; the old version serves meanwhile.
      assert.deepEqual(await routes(runtime, 10), new Set([`stable ${version} completed`]));
      assert.match(
        runtime.customTools().files[0]?.problem?.message ?? "",
        /Its traits changed: read_only: true → false/,
      );
      machine.trust();
    }
    assert.deepEqual(await routes(runtime, 10), new Set([`stable ${version} completed`]));
    const [view] = await (await runtime.rollouts()).list("shout");
    assert.equal(view?.status, "blocked");
    assert.match(view.reason, /^It can't be tried beside the stable version: its (traits|input)/);
    assert.equal(runtime.customTools().files[0]?.release, "waiting");
  }
});

test("processes of versions that are over do not pile up [C5 V5]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(half);
  const rollouts = await runtime.rollouts();
  await shout(runtime, "ses_0");
  for (let round = 0; round < 6; round++) {
    await machine.save("shout.js", shouting(`/* ${round} */`));
    assert.equal((await routes(runtime, 12)).size, 2);
    assert.equal(await hostsOf(runtime), 2);
    if (round % 2 === 0) await rollouts.rollback("shout", { kind: "soft" });
    else await rollouts.promote("shout", { to: "all" });
    await shout(runtime, "ses_0");
    assert.equal(await hostsOf(runtime), 1);
  }
});

test("no secret gets into what is kept of a failed trial [V6]", async (t) => {
  const secret = `ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`;
  const leaks = `throw new Error("refused: " + ["ghp", "${secret.slice(4)}"].join("_"));`;
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(half);
  const told: string[] = [];
  runtime.on("*", (event) => void told.push(JSON.stringify(event)));
  await shout(runtime, "ses_0");
  const rollouts = await runtime.rollouts();
  // The first is found by replay, the second by calls.
  for (const body of [leaks, `if (context.conversationId) ${leaks}`]) {
    await machine.save("shout.js", shouting(body));
    await routes(runtime, 20);
    const { harm, release } = await rollouts.explain("shout");
    told.push(JSON.stringify([harm, release, await rollouts.list(), await rollouts.history({ limit: 100 })]));
  }
  const feedback = await rollouts.feedback("shout", 10);
  assert.match(feedback[0]?.error ?? "", /^refused: \[MASKED:/);
  assert.match(told.join("\n"), /rolled back before anybody got it/i);
  await runtime.close();
  for (const text of [...told, JSON.stringify(feedback)]) assert.equal(text.includes(secret), false, text);
  const data = join(machine.workdir, ".deckhand");
  for (const name of ["deckhand.db", "logs/chat_log.jsonl"]) {
    assert.equal((await readFile(join(data, name))).includes(secret), false, name);
  }
});

test("scheduled runs are routed and counted apart [V2 V4]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(
    { rollout: { mode: "canary", low: { stages: [50, 100] } } },
    { clock: stillClock },
  );
  await shout(runtime, "ses_0");
  await machine.save("shout.js", shouting("/* new */"));
  await routes(runtime, 30);
  const rollouts = await runtime.rollouts();
  assert.equal((await rollouts.explain("shout")).lanes.scheduled, null);
  await routes(runtime, 10, { door: "schedule" });
  const { lanes, figures } = await rollouts.explain("shout");
  const scheduled = lanes.scheduled!.evidence;
  assert.equal(scheduled.canary.calls + scheduled.stable.calls, 10);
  assert.equal(lanes.live!.evidence.canary.calls + lanes.live!.evidence.stable.calls, 30);
  assert.deepEqual(new Set(figures.map(({ lane }) => lane)), new Set(["live", "scheduled"]));
});

test("a clock that jumps promotes nothing and rolls nothing back [V4]", async (t) => {
  const year = 365 * 24 * 60 * 60_000;
  let offset = 0;
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const clock = { ...stillClock, now: () => systemClock.now() + offset };
  const runtime = await machine.open({ rollout: { mode: "canary", low: { stages: [50, 100] } } }, { clock });
  const heard = listen(runtime);
  await shout(runtime, "ses_0");
  await machine.save("shout.js", shouting("/* new */"));
  for (const jump of [-year, year, -year]) {
    offset = jump;
    await routes(runtime, 45);
    const [view] = await (await runtime.rollouts()).list("shout");
    assert.deepEqual([view?.status, view?.percent], ["running", 50]);
  }
  assert.deepEqual(
    heard.map(({ change }) => change).filter((change) => change === "promoted" || change === "rolled_back"),
    [],
  );
});

test("who waits for a replay hears how far it is, also while the runtime is being opened [V10]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const first = await machine.open(half);
  for (const text of ["a", "b", "c"]) await first.call("shout", { text });
  const heard: string[] = [];
  const hear = (event: RuntimeEvent): void => {
    if (event.type === "rollout:replaying") heard.push(`${event.version} ${event.tried}/${event.cases}`);
    if (event.type === "rollout:changed") heard.push(`${event.version} ${event.change}`);
    if (event.type === "execution:started") heard.push("the call");
  };
  first.on("*", hear);
  const change = (version: string | null | undefined): string[] => [
    `${version} started`,
    ...["0/3", "1/3", "2/3", "3/3"].map((each) => `${version} ${each}`),
    `${version} replayed`,
  ];
  await machine.save("shout.js", shouting("/* new */"));
  await first.call("shout", { text: "a" });
  const [view] = await (await first.rollouts()).list("shout");
  assert.deepEqual(heard, [...change(view?.canary), "the call"]);
  await first.close();

  heard.length = 0;
  await machine.save("shout.js", shouting("/* newer */"));
  const next = await machine.open(half, { onEvent: hear });
  const [newer] = await (await next.rollouts()).list("shout");
  assert.deepEqual(heard, [`${view?.canary} withdrawn`, ...change(newer?.canary)]);
});
