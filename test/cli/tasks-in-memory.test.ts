import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "../daemon/support/serve.ts";
import { tmuxLane } from "../support/tmux.ts";
import { openTalk } from "./talk.ts";
import { openTasksMachine } from "./tasks-machine.ts";

const settings = { store: { kind: "memory" }, permissions: { allow: ["use_agent"] } };
const sentence =
  'warning: Tasks are kept in memory only, because store.kind is "memory". They end with this process and leave no record.';

function countIn(text: string): number {
  return text.split(sentence).length - 1;
}

test("a command that stays with its task says once, and first, that it is kept in memory only [T4]", async (t) => {
  const machine = await openTasksMachine(t, settings);
  const { code, stderr } = await machine.run(["tasks", "start", "shell", "echo hi", "--follow"]);
  assert.equal(code, 0);
  assert.ok(stderr.startsWith(`deckhand: ${sentence}\n`), stderr);
  assert.equal(countIn(stderr), 1);
  const listed = await machine.run(["tasks"]);
  assert.deepEqual([listed.code, listed.stderr], [0, `No tasks found.\ndeckhand: ${sentence}\n`]);
});

test("a run says once that the tasks it starts are kept in memory only, and not when it starts none [T4]", async (t) => {
  const machine = await openTasksMachine(t, settings);
  const call = { tool: "use_agent", input: { cli_name: "shell", message: "echo hi" } };
  for (const [calls, told] of [
    [[{ calls: [call] }, { calls: [call] }], 1],
    [[], 0],
  ] as const) {
    await writeFile(join(machine.workdir, "script.json"), JSON.stringify([...calls, "Done."]));
    const { code, stdout, stderr } = await machine.run(["run", "go", "--model", "script:script.json"]);
    assert.deepEqual([code, stdout], [0, "Done.\n"], stderr);
    assert.equal(countIn(stderr), told, stderr);
  }
});

test("a conversation says once that its tasks are kept in memory only [T4]", tmuxLane(), async (t) => {
  const call = { tool: "list_agents", input: {} };
  const talk = await openTalk(t, {
    script: [{ calls: [call] }, "First.", { calls: [call] }, "Second."],
    columns: 200,
    settings,
  });
  await talk.seePrompt();
  await talk.say("ask an agent");
  await talk.see("First.");
  await talk.seePrompt();
  await talk.say("ask it again");
  await talk.see("Second.");
  assert.equal(countIn(await talk.seePrompt()), 1);
});

test("a daemon says in its log and on its terminal that tasks are kept in memory only [T4]", async (t) => {
  const machine = await openTasksMachine(t, settings);
  await serve(t, machine);
  const { stdout } = await machine.run(["serve", "status"]);
  assert.equal(countIn(stdout.replaceAll("Warning:", "warning:")), 1, stdout);
  const logs = await machine.run(["serve", "logs"]);
  assert.equal(countIn(logs.stdout.replaceAll("Warning:", "warning:")), 1, logs.stdout);
});
