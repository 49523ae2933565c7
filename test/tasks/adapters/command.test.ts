import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { TaskOrder } from "../../../src/core/task.ts";
import type { AgentAdapter, AgentSettings } from "../../../src/tasks/adapters/agent-adapter.ts";
import { listAdapters } from "../../../src/tasks/adapters/list-adapters.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { anOrder } from "./an-order.ts";
import { driveAgent, type Drive } from "./drive-agent.ts";

const hostile = '--help\n"quoted" $(id) 🎉';

test("a command gets the message on stdin, and what it prints is the answer [T8]", async (t) => {
  const { verdict, news } = await run(t, { command: ["cat"], output: "text" }, { message: hostile });
  assert.deepEqual(verdict, { ok: true, text: hostile });
  assert.deepEqual(news[0], { progress: "--help" });
});

test("a command that takes the message as an argument gets it behind its dashes [T8]", async (t) => {
  const settings = { command: ["printf", "%s", "--"], output: "text", message: "argument" } as const;
  const { verdict } = await run(
    t,
    { ...settings, command: ["sh", "-c", 'printf %s "$1"', "x"] },
    { message: 'a\n"b" $(id)' },
  );
  assert.deepEqual(verdict, { ok: true, text: 'a\n"b" $(id)' });
  assert.deepEqual(planned(settings, { message: "-x" }).args, ["%s", "--", "-x"]);
  assert.match(refusal({ ...settings, command: ["printf", "%s"] }, { message: "-x" }), /starts with a dash/);
  assert.match(refusal(settings, { message: "x".repeat(200_000) }), /200000 bytes \(maximum 120000\)/);
});

test("a command's model, session and system prompt go where its settings put them [T8]", () => {
  const command = ["mine", "--model={model}", "--resume={session}", "--system={system_prompt}"] as const;
  const settings = { command, output: "text", acceptsArgs: true } as const;
  const order = { model: "big", resume: "s1", systemPrompt: "terse\n-x", args: ["--fast"] };
  const all = ["--model=big", "--resume=s1", "--system=terse\n-x", "--fast"];
  assert.deepEqual(planned(settings, order).args, all);
  assert.equal(planned(settings, order).stdin, "say hi");
  assert.deepEqual(planned(settings, {}).args, []);
  assert.equal(adapterOf(settings).canResume, true);
});

test("what a command has no place for is refused, or stands before the message [T8]", () => {
  const settings = { command: ["mine"], output: "text" } as const;
  assert.match(refusal(settings, { model: "big" }), /does not support choosing a model/);
  assert.match(refusal(settings, { resume: "s1" }), /can't resume sessions/);
  assert.match(refusal(settings, { args: ["--fast"] }), /does not accept extra args/);
  assert.equal(planned(settings, { systemPrompt: "Be terse." }).stdin, "Be terse.\n\nsay hi");
  assert.equal(adapterOf(settings).canResume, false);
});

test("a command's JSON lines give the last answer and the session [T8]", async (t) => {
  const lines = ['{"meta":{"id":"s1"}}', "noise", '{"out":{"text":"first"}}', '{"out":{"text":"last"}}', '{"out":'];
  const settings: AgentSettings = {
    command: ["printf", "%s\n", ...lines] as const,
    output: "json_lines",
    resultField: "out.text",
    sessionField: "meta.id",
  };
  const { verdict, sessionId } = await run(t, settings, {});
  assert.deepEqual(verdict, { ok: true, text: "last" });
  assert.equal(sessionId, "s1");
});

const failing: readonly (readonly [string, string])[] = [
  ["echo half an answer; exit 3", "mine exited without an answer (exit code 3). End of stdout: half an answer."],
  ["true", "mine exited without an answer (exit code 0) and printed nothing."],
  ["echo oh >&2; exit 1", "mine exited without an answer (exit code 1). End of stderr: oh."],
  ["kill -9 $$", "mine exited without an answer (killed by SIGKILL) and printed nothing."],
  [
    "printf 'Go on? [y/N]'; read answer || exit 1",
    "mine exited without an answer (exit code 1). End of stdout: Go on? [y/N]. It seems to have asked for input, which it can't get here.",
  ],
];
for (const [script, error] of failing) {
  test(`a command that does \`${script}\` has failed [T8]`, async (t) => {
    const settings: AgentSettings = { command: ["sh", "-c", `cat >/dev/null; ${script}`], output: "text" };
    assert.deepEqual((await run(t, settings, {})).verdict, { ok: false, error });
  });
}

test("JSON lines without an answer are a failure, with one and a bad exit code as well [T8]", async (t) => {
  const silent: AgentSettings = { command: ["printf", '{"a":1}\nnot json\n'], output: "json_lines" };
  assert.deepEqual((await run(t, silent, {})).verdict, {
    ok: false,
    error: "mine exited without an answer (exit code 0). End of stdout: not json.",
  });
  const broken: AgentSettings = { command: ["sh", "-c", `echo '{"result":"x"}'; exit 2`], output: "json_lines" };
  assert.deepEqual((await run(t, broken, {})).verdict, {
    ok: false,
    error: "mine answered, but then failed (exit code 2). End of stdout: x.",
  });
});

test("JSON lines that hold the answer elsewhere are shown, with the setting that says where [T8]", async (t) => {
  const say = (line: string): AgentSettings => ({ command: ["printf", "%s\n", line], output: "json_lines" });
  assert.deepEqual((await run(t, say('{"text":"hi"}'), {})).verdict, {
    ok: false,
    error:
      'mine exited without an answer (exit code 0). End of stdout: {"text":"hi"}. None of its JSON lines has "result": check "agents.mine.result_field" in the settings.',
  });
  const failed: AgentSettings = { command: ["sh", "-c", `echo '{"error":"quota"}'; exit 2`], output: "json_lines" };
  assert.deepEqual((await run(t, failed, {})).verdict, {
    ok: false,
    error: 'mine exited without an answer (exit code 2). End of stdout: {"error":"quota"}.',
  });
});

test("what is too long for an argument is called by its name [T8]", () => {
  const command = ["mine", "--model={model}", "--resume={session}", "--system={system_prompt}"] as const;
  const long = "x".repeat(120_001);
  const told = (what: string): string =>
    `The ${what} is too long to pass to mine as an argument: 120001 bytes (maximum 120000).`;
  assert.equal(refusal({ command, output: "text" }, { model: long }), told("model"));
  assert.equal(refusal({ command, output: "text" }, { resume: long }), told("session to resume"));
  assert.equal(refusal({ command, output: "text" }, { systemPrompt: long }), told("system prompt"));
  assert.equal(refusal({ command: ["mine"], output: "text" }, { systemPrompt: long }), "");
});

function adapterOf(settings: AgentSettings): AgentAdapter {
  return listAdapters({ own: ["node", "x"], agents: { mine: settings } }).get("mine")!;
}

function planned(settings: AgentSettings, order: Partial<TaskOrder>) {
  return adapterOf(settings).plan(anOrder(order), { folder: "/data", sessionId: "id" });
}

function refusal(settings: AgentSettings, order: Partial<TaskOrder>): string {
  try {
    planned(settings, order);
    return "";
  } catch (thrown) {
    assert.equal((thrown as { code?: unknown }).code, "TASK_INVALID");
    return (thrown as Error).message;
  }
}

async function run(t: TestContext, settings: AgentSettings, order: Partial<TaskOrder>): Promise<Drive> {
  const folder = await temporaryFolder(t);
  const env = { PATH: process.env["PATH"]! };
  const request = { adapter: adapterOf(settings), order: anOrder({ cwd: folder, ...order }), folder, env };
  return (await driveAgent(t, request)).ended;
}
