import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { until } from "../support/runtime.ts";
import { openTmux, tmuxLane } from "../support/tmux.ts";
import { echoTool } from "./echo-tool.ts";
import { openMachine, deckhand, type Machine } from "./run-deckhand.ts";

/** A tool of which a new version is being tried. */
async function openTrial(t: TestContext): Promise<Machine> {
  const machine = await openMachine(t);
  const file = join(machine.workdir, "tools", "echo_tool.js");
  await mkdir(join(machine.workdir, "tools"));
  await writeFile(file, echoTool);
  await writeFile(join(machine.workdir, "deckhand.json"), '{"rollout": {"mode": "canary"}}');
  await machine.run(["trust", "--yes"]);
  await machine.run(["tool", "echo_tool", '{"text":"hi"}']);
  await writeFile(file, `${echoTool}// new\n`);
  await machine.run(["tool", "echo_tool", '{"text":"hi"}']);
  return machine;
}

test("in a pipe the watch is one line for each change, of any process, until Ctrl-C [V11]", async (t) => {
  const machine = await openTrial(t);
  const lines = machine.start(["rollout", "status", "--watch"]);
  const documents = machine.start(["rollout", "status", "echo_tool", "--watch", "--json"]);
  const count = (text: string): number => text.split("\n").length - 1;
  await until("how it stands", () => count(lines.stdout()) === 1 && count(documents.stdout()) === 1);
  for (const [index, order] of [["promote"], ["hold", "--reason", "until Monday"], ["rollback"]].entries()) {
    const [name = "", ...rest] = order;
    assert.equal((await machine.run(["rollout", name, "echo_tool", ...rest])).code, 0);
    const after = index + 2;
    await until("what changed", () => count(lines.stdout()) === after && count(documents.stdout()) === after);
  }
  lines.child.kill("SIGINT");
  documents.child.kill("SIGINT");
  const [asText, asJson] = await Promise.all([lines.ended, documents.ended]);
  assert.deepEqual([asText.code, asText.stderr, asJson.code, asJson.stderr], [130, "", 130, ""]);
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
  const told = [
    "10 %  running  \\[10\\] > 30 > 60 > 80 > 100 \\| .+",
    "30 %  running  10 > \\[30\\] > 60 > 80 > 100 \\| .+",
    "30 %  held  10 > \\[30\\] > 60 > 80 > 100 \\| Held by .+: until Monday",
    "0 %  rolled back  A person rolled it back\\.",
  ];
  for (const [index, line] of asText.stdout.trimEnd().split("\n").entries()) {
    assert.match(line, new RegExp(`^${time}  echo_tool  [0-9a-f]{12} > [0-9a-f]{12} ${told[index]}$`));
  }
  const views = asJson.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    views.map(({ tool, status, percent, is_held }) => [tool, status, percent, is_held]),
    [
      ["echo_tool", "running", 10, false],
      ["echo_tool", "running", 30, false],
      ["echo_tool", "running", 30, true],
      ["echo_tool", "rolled_back", 0, true],
    ],
  );
});

test("a watch ends when nobody reads it any more, and refuses a tool that is not there", async (t) => {
  const machine = await openTrial(t);
  const watching = machine.start(["rollout", "status", "--watch"]);
  await until("how it stands", () => watching.stdout() !== "");
  watching.child.stdout.destroy();
  assert.equal((await machine.run(["rollout", "hold", "echo_tool"])).code, 0);
  assert.deepEqual([(await watching.ended).code, watching.stderr()], [0, ""]);
  const unknown = await machine.run(["rollout", "status", "ecco_tool", "--watch"]);
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [2, 'deckhand: There is no tool file named "ecco_tool". Did you mean echo_tool?\n'],
  );
});

test("on a terminal the table is drawn again in its place, and Ctrl-C leaves it there [V11]", tmuxLane(), async (t) => {
  const machine = await openTrial(t);
  const tmux = await openTmux(t, { env: machine.env });
  await tmux.type(
    `cd ${machine.workdir}; clear; ${process.execPath} ${deckhand[0]} rollout status --watch; echo "ended with $?"`,
  );
  await tmux.press("Enter");
  await tmux.see(/10 % {2}running\n[\s\S]*Ctrl-C ends the watching\./);
  await machine.run(["rollout", "promote", "echo_tool"]);
  const promoted = await tmux.see(/30 % {2}running\n/);
  assert.equal(promoted.split("TOOL ").length, 2, promoted);
  await tmux.resize({ columns: 60, rows: 20 });
  await machine.run(["rollout", "hold", "echo_tool"]);
  const held = await tmux.see(/30 % {2}held\n/);
  assert.equal(held.split("TOOL ").length, 2, held);
  await tmux.press("C-c");
  const left = await tmux.see("ended with 130");
  assert.match(left, /30 % {2}held\n[\s\S]*Ctrl-C ends the watching\.\n(\^C)?ended with 130/);
});

test(
  "a call that waits for a replay shows how far that is, on the terminal and in its events [V10]",
  tmuxLane(),
  async (t) => {
    const machine = await openTrial(t);
    const file = join(machine.workdir, "tools", "echo_tool.js");
    // Waits until the file is there: what is shown meanwhile can be looked at.
    const waiting = echoTool.replace(
      "({ ok: true",
      "{ while (!(await import('node:fs')).existsSync('go-on')) await new Promise((next) => setTimeout(next, 20)); return { ok: true",
    );
    await writeFile(file, waiting.replace("input.text });", "input.text }; };"));
    const tmux = await openTmux(t, { columns: 120, env: machine.env });
    const words = `${process.execPath} ${deckhand[0]} tool echo_tool '{"text":"hi"}'`;
    await tmux.type(`cd ${machine.workdir}; clear; ${words}; echo "ended with $?"`);
    await tmux.press("Enter");
    await tmux.see(/^echo_tool@[0-9a-f]{12} is tried with recorded calls before anybody gets it: 0 of 1$/m);
    await writeFile(join(machine.workdir, "go-on"), "");
    const done = await tmux.see("ended with 0");
    assert.doesNotMatch(done, /is tried with recorded calls/);

    await writeFile(file, `${waiting.replace("input.text });", "input.text }; };")}// newer\n`);
    const { stdout } = await machine.run(["tool", "echo_tool", '{"text":"hi"}', "--events"]);
    const types = stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type?: string }).type);
    assert.deepEqual(types.slice(0, 6), [
      "rollout:changed",
      "rollout:changed",
      "rollout:replaying",
      "rollout:replaying",
      "rollout:changed",
      "execution:created",
    ]);
  },
);
