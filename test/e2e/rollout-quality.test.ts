import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createId } from "../../src/core/ids.ts";
import type { Execution } from "../../src/core/call.ts";
import type { Runtime } from "../../src/runtime/create-runtime.ts";
import { openAgentOf } from "../support/agent.ts";
import { stillClock, half, listen, openToolMachine, shouting, talk, type ToolMachine } from "./tool-machine.ts";

/** Changes things, so that no recorded call is replayed on a new version. */
const traits = { risk: "low" };
const isOneInThree = `[...input.text].reduce((all, each) => all + each.charCodeAt(0), 0) % 3 === 0`;

interface Trial {
  readonly machine: ToolMachine;
  readonly runtime: Runtime;
  readonly heard: ReturnType<typeof listen>;
  readonly isBack: () => boolean;
  /** `deckhand rollout explain shout`, as it is printed. */
  readonly explain: () => Promise<string>;
}

/** The tool `shout`, of which half of the conversations get what is saved next. */
async function openTrial(t: TestContext, files: Readonly<Record<string, string>>): Promise<Trial> {
  const machine = await openToolMachine(t, files);
  // In the folder, so that the commands have them as well.
  await writeFile(join(machine.workdir, "deckhand.json"), JSON.stringify(half));
  machine.trust();
  const runtime = await machine.open({}, { clock: stillClock });
  const heard = listen(runtime);
  return {
    machine,
    runtime,
    heard,
    isBack: () => heard.some(({ change }) => change === "rolled_back"),
    explain: async () => (await machine.run(["rollout", "explain", "shout"])).stdout,
  };
}

/** Enough calls for a good version to be told from a bad one by its failures. */
const enough = 240;

/** A version that is rolled back for results that are wrong, where none of its calls failed; and one that is not. */
async function compareVersions(
  t: TestContext,
  versions: { readonly stable: string; readonly good: string; readonly bad: string },
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly why: string; readonly harm: readonly string[] }> {
  const trial = await openTrial(t, { ...more, "shout.js": versions.stable });
  const { machine, runtime, isBack } = trial;
  await talk(runtime, { name: "before", most: 20, until: () => false });
  await machine.save("shout.js", versions.good);
  await talk(runtime, { name: "good", most: enough, until: isBack });
  assert.equal(isBack(), false, await trial.explain());
  await machine.save("shout.js", versions.bad);
  await talk(runtime, { name: "bad", most: 400, until: isBack });
  assert.equal(isBack(), true, await trial.explain());
  const all = await runtime.list({ limit: 10_000 });
  assert.deepEqual(new Set(all.map(({ state }) => state)), new Set(["completed"]));
  const { harm } = await (await runtime.rollouts()).explain("shout");
  return { why: await trial.explain(), harm: harm!.calls.map(({ error }) => error) };
}

test("a version whose results have another form than output_schema says is rolled back; one that keeps it is not [V4]", async (t) => {
  const more = { output_schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } };
  const version = (body: string) => shouting(`${body} return { n: 1 };`, { traits, more });
  const { why, harm } = await compareVersions(t, {
    stable: version(""),
    good: version("/* better */"),
    bad: version(`if (${isOneInThree}) return { n: "one" };`),
  });
  assert.match(why, /^shout: rolled back: \d+ canary calls, \d+ failed \(stable /);
  assert.match(why, /^ +of them wrong results +0 +[1-9]\d*$/m);
  assert.match(why, /^ +right form +100 % +[1-9]\d %$/m);
  assert.match(harm[0]!, /^The output does not fit output_schema: /);
});

test("a version whose results its judge calls bad is rolled back; one that the judge has nothing against is not [V4]", async (t) => {
  const judge = `export const TOOL_SPEC = {
  name: "judge_shout",
  description: "Says whether a shout is loud.",
  input_schema: { type: "object", properties: { tool: { type: "string" }, input: {}, output: { type: "string" } } },
  traits: { read_only: true },
};
export const run = ({ output }) =>
  output === output.toUpperCase() ? { ok: true, output: "loud" } : { ok: false, error: "It is not loud." };
`;
  const version = (body: string) => shouting(body, { traits, more: { judge: "judge_shout" } });
  const { why, harm } = await compareVersions(
    t,
    {
      stable: version(""),
      good: version("/* better */"),
      bad: version(`if (${isOneInThree}) return { ok: true, output: input.text };`),
    },
    { "judge_shout.js": judge },
  );
  assert.match(why, /^ +of them wrong results +0 +[1-9]\d*$/m);
  assert.equal(harm[0], "Judged bad by judge_shout: It is not loud.");
});

/** One call in a conversation of its own, on this version. */
async function callOn(trial: Trial, route: Execution["route"], name: string): Promise<Execution> {
  for (let tried = 0; tried < 100; tried++) {
    const call = await trial.runtime.call("shout", { text: name }, { conversationId: `ses_${name}_${tried}` });
    if (call.route === route) return call;
  }
  throw new Error(`No conversation of 100 got ${route}.`);
}

test("a version whose results a person marks as bad is rolled back; where both versions are marked alike it is not [V4]", async (t) => {
  const trial = await openTrial(t, { "shout.js": shouting("", { traits }) });
  const { machine, runtime, isBack } = trial;
  const mark = async ({ id }: Execution): Promise<string> =>
    (await machine.run(["rollout", "feedback", "shout", "--bad", id, "--reason", "too loud"])).stderr;
  await talk(runtime, { name: "before", most: 20, until: () => false });

  await machine.save("shout.js", shouting("/* better */", { traits }));
  await talk(runtime, { name: "good", most: 80, until: isBack });
  const call = await callOn(trial, "canary", "good on canary");
  assert.match(await mark(call), /^It counts as a failure of the version that ran it\. shout: held: /);
  assert.match(await mark(call), /^It, or its conversation, counts as failed already: nothing was counted again\. /);
  await mark(await callOn(trial, "stable", "good on stable"));
  await talk(runtime, { name: "later", most: enough, until: isBack });
  assert.equal(isBack(), false);
  assert.match(
    await trial.explain(),
    /^Corrections by users: 1 \(0 \/undo, 1 feedback\) of the canary, 1 \(0 \/undo, 1 feedback\) of stable\.$/m,
  );

  await machine.save("shout.js", shouting("/* worse */", { traits }));
  await talk(runtime, { name: "bad", most: 40, until: isBack });
  let said = "";
  for (let marks = 0; marks < 20 && !said.includes("rolled back"); marks++) {
    said = await mark(await callOn(trial, "canary", `bad ${marks}`));
  }
  assert.match(said, /^It counts as a failure of the version that ran it\. shout: rolled back: \d+ canary calls, /);
  const { harm } = await (await runtime.rollouts()).explain("shout");
  assert.equal(harm?.calls[0]?.error, "too loud");
  assert.match(await mark(call), /^No rollout that is running counts it: it is kept for `deckhand improve` only\. /);
});

/** A conversation in which `shout` is called, then a file is written; which version answered. */
async function converse(t: TestContext, { runtime }: Trial, undoes: (route: string) => boolean) {
  const shout = { calls: [{ tool: "shout", input: { text: "a" } }] };
  const write = { calls: [{ tool: "write", input: { file_path: `${createId("call", 0)}.txt`, content: "A\n" } }] };
  const { agent } = await openAgentOf(t, runtime, { turns: [shout, write, "Written."] });
  await agent.send("Shout it, and write it down.");
  const [call] = await runtime.list({ toolId: "shout", limit: 1 });
  const report = undoes(call!.route!) ? await agent.undo() : undefined;
  await agent.close();
  return { call: call!, corrected: report?.corrected };
}

test("a version whose answers make people undo is rolled back; where both are undone alike it is not [V4]", async (t) => {
  const trial = await openTrial(t, { "shout.js": shouting("", { traits }) });
  const { machine, runtime, isBack } = trial;
  await talk(runtime, { name: "before", most: 20, until: () => false });

  await machine.save("shout.js", shouting("/* better */", { traits }));
  const answered: Record<string, number> = { canary: 0, stable: 0 };
  for (let each = 0; each < 40; each++) {
    const { call, corrected } = await converse(t, trial, (route) => answered[route]! % 5 === 0);
    assert.deepEqual(corrected, answered[call.route!]! % 5 === 0 ? [call.version] : undefined);
    answered[call.route!]! += 1;
  }
  assert.equal(isBack(), false, await trial.explain());
  assert.match(await trial.explain(), /^Corrections by users: .* \/undo, 0 feedback\)/m);

  await machine.save("shout.js", shouting("/* worse */", { traits }));
  for (let each = 0; each < 100 && !isBack(); each++) await converse(t, trial, (route) => route === "canary");
  assert.equal(isBack(), true, await trial.explain());
  assert.match(trial.heard.at(-1)!.reason, /^rolled back: \d+ canary calls, \d+ failed \(stable /);
  assert.match(
    await trial.explain(),
    /^Corrections by users: [1-9]\d* \([1-9]\d* \/undo, 0 feedback\) of the canary, 0 of stable\.$/m,
  );
});
