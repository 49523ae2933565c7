import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { until } from "../support/runtime.ts";
import { tmuxLane } from "../support/tmux.ts";
import { countProcesses, uniqueSeconds, untilProcesses } from "./processes-named.ts";
import { openTalk, type Talk } from "./talk.ts";

const lane = tmuxLane();

/** The model runs a command that lasts; the rest of the script says what it does afterwards. */
async function openSleeper(t: TestContext, rest: readonly unknown[], command?: (seconds: string) => string) {
  const seconds = uniqueSeconds();
  const input = { command: command?.(seconds) ?? `echo begun > begun.txt; sleep ${seconds}` };
  const talk = await openTalk(t, { script: { turns: [{ calls: [{ tool: "bash", input }] }, ...rest] } });
  await talk.seePrompt();
  await talk.say("go");
  await talk.see("[y] yes, once");
  await talk.press("y");
  await untilProcesses(seconds, 1);
  return { talk, seconds };
}

async function stoppedCall(talk: Talk): Promise<{ state: string; error: string }> {
  const [call] = JSON.parse((await talk.machine.run(["calls", "--json"])).stdout) as { state: string; error: string }[];
  return call!;
}

test("Ctrl-C once stops the call, and the model hears of it and goes on [L2]", lane, async (t) => {
  const { talk, seconds } = await openSleeper(t, [
    { text: "I heard.", expect: { tool_result: { tool: "bash", contains: "Stopped by the user", is_error: true } } },
  ]);
  await talk.press("C-c");
  await talk.see("I heard.");
  await talk.seePrompt();
  assert.equal(countProcesses(seconds), 0);
  assert.equal((await stoppedCall(talk)).state, "cancelled");
});

test(
  "Ctrl-C twice stops the turn, and once more at the prompt leaves with 130 and the terminal as it was [L2]",
  lane,
  async (t) => {
    const { talk, seconds } = await openSleeper(t, [{ text: "Not yet.", delay_ms: 600_000 }]);
    await talk.press("C-c");
    await talk.see("Stopped the call; Ctrl-C again stops the turn.");
    await talk.press("C-c");
    await talk.see("Stopping the turn");
    await talk.seePrompt();
    assert.equal(countProcesses(seconds), 0);
    await talk.press("C-c");
    await talk.seeRestored(130);
  },
);

test(
  "Ctrl-C while the turn is stopping leaves at once with 130, and the next command ends what is left [L2]",
  lane,
  async (t) => {
    const { talk, seconds } = await openSleeper(
      t,
      ["Never said."],
      (text) => `trap '' TERM; sleep ${text} & while :; do sleep 0.1; done`,
    );
    await talk.press("C-c");
    await talk.press("C-c");
    await talk.see("Stopping the turn");
    await talk.press("C-c");
    await talk.see("Left without waiting: the next deckhand command here ends what is left of the call.");
    await talk.seeRestored(130);
    await talk.machine.run(["calls"]);
    await until("the next command ended what was left", () => countProcesses(seconds) === 0);
  },
);

test("Esc stops a reply in the middle, and what was said so far stays on the screen [L2]", lane, async (t) => {
  const talk = await openTalk(t, {
    script: {
      turns: [{ parts: [{ text: "The beginning is here.\n\n" }, { pause_ms: 600_000 }, { text: "The end." }] }],
    },
  });
  await talk.seePrompt();
  await talk.say("go");
  await talk.see("The beginning is here.");
  await talk.press("Escape");
  await talk.see("Stopping the turn");
  await talk.seePrompt();
  assert.doesNotMatch(await talk.screen(), /The end\./);
});

test("Ctrl-C at an empty prompt says what the next one does, then leaves with 130 [L2]", lane, async (t) => {
  const talk = await openTalk(t, { script: ["Hello."] });
  await talk.seePrompt();
  await talk.press("C-c");
  await talk.see("Ctrl-C again leaves; so does Ctrl-D.");
  await talk.press("C-c");
  await talk.seeRestored(130);
});

test("what is typed while the agent works is shown, and is in the next prompt unsent [L2]", lane, async (t) => {
  const talk = await openTalk(t, {
    script: { turns: [{ parts: [{ text: "Begun.\n\n" }, { pause_ms: 600_000 }] }] },
  });
  await talk.seePrompt();
  await talk.say("go");
  await talk.see("Begun.");
  await talk.type("and then this");
  await talk.see("next › and then this");
  await talk.press("C-c");
  await talk.see(/^› and then this\n/m);
  await talk.press("C-u", "C-d");
  await talk.seeRestored(0);
});

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const) {
  test(`${signal} stops the call, gives the terminal back and ends with ${code} [L2]`, lane, async (t) => {
    const { talk, seconds } = await openSleeper(t, ["Never said."]);
    await talk.signal(signal);
    await talk.seeRestored(code);
    assert.equal(countProcesses(seconds), 0);
    assert.equal((await stoppedCall(talk)).state, "cancelled");
  });
}

test("SIGTERM at the prompt gives the terminal back and ends with 143 [L2]", lane, async (t) => {
  const talk = await openTalk(t, { script: ["Hello."] });
  await talk.seePrompt();
  await talk.signal("SIGTERM");
  await talk.seeRestored(143);
});

test("closing the terminal leaves nothing running [L2]", lane, async (t) => {
  const { talk, seconds } = await openSleeper(t, ["Never said."]);
  await talk.close();
  await until("the command is gone", () => countProcesses(seconds) === 0, 30_000);
  await until("the call is settled", async () => (await stoppedCall(talk)).state === "cancelled", 30_000);
});

test("after Ctrl-Z and fg the conversation goes on as before [L2]", lane, async (t) => {
  const talk = await openTalk(t, { script: ["First answer.", "Second answer."] });
  await talk.seePrompt();
  await talk.press("C-z");
  await talk.see(/Stopped/);
  await talk.type("clear; fg");
  await talk.press("Enter");
  await talk.seePrompt();
  await talk.say("one");
  await talk.see("First answer.");
  await talk.seePrompt();
  await talk.say("/cost");
  await talk.see("tokens in");
});

test("what is typed while `run` works is the shell's, and a question still gets its answer [L2]", lane, async (t) => {
  const wait = "while ! test -e go; do sleep 0.1; done";
  const talk = await openTalk(t, {
    args: ["run", "work"],
    script: [
      { calls: [{ tool: "ask_user", input: { question: "Which?", options: ["this", "that"] } }] },
      { calls: [{ tool: "bash", input: { command: wait } }] },
      "All done.",
    ],
  });
  await talk.see(/^❯ +1\. this/m);
  await talk.press("2");
  await talk.see("→ that");
  await talk.see(/bash while/);
  await talk.type("echo typed $((20 + 3))");
  await talk.press("Enter");
  await talk.put("go", "now");
  await talk.see("All done.");
  await talk.see(/typed 23$/m);
});
