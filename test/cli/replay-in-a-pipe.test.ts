import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { echoTool } from "./echo-tool.ts";
import { openMachine } from "./run-deckhand.ts";

const sentence =
  /^echo_tool@[0-9a-f]{12} is tried with 1 recorded call before anybody gets it; this waits for that\.$/gm;

test("without a terminal a command that waits for a replay says so once, and not with --quiet; run --json has the events [V10]", async (t) => {
  const machine = await openMachine(t);
  const file = join(machine.workdir, "tools", "echo_tool.js");
  await mkdir(join(machine.workdir, "tools"));
  await writeFile(file, echoTool);
  await writeFile(join(machine.workdir, "deckhand.json"), '{"rollout": {"mode": "canary"}}');
  const turns = [{ calls: [{ tool: "echo_tool", input: { text: "hi" } }] }, "Done."];
  await writeFile(join(machine.workdir, "talk.json"), JSON.stringify({ turns }));
  await machine.run(["trust", "--yes"]);
  await machine.run(["tool", "echo_tool", '{"text":"hi"}']);
  let edits = 0;
  const runEdited = async (...args: string[]) => {
    await writeFile(file, `${echoTool}// ${(edits += 1)}\n`);
    const { code, stdout, stderr } = await machine.run(args);
    assert.equal(code, 0, stderr);
    return { stdout, told: stderr.match(sentence)?.length ?? 0 };
  };
  const call = ["tool", "echo_tool", '{"text":"hi"}'];
  const run = ["run", "--model", "script:talk.json", "go"];
  assert.deepEqual(await runEdited(...call), { stdout: "hi\n", told: 1 });
  assert.deepEqual(await runEdited(...call, "--quiet"), { stdout: "hi\n", told: 0 });
  assert.deepEqual(await runEdited(...run), { stdout: "Done.\n", told: 1 });
  assert.deepEqual(await runEdited(...run, "--quiet"), { stdout: "Done.\n", told: 0 });
  const { stdout } = await runEdited(...run, "--json");
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    events.slice(0, 3).map(({ type, tool, tried, cases }) => [type, tool, tried, cases]),
    [
      ["rollout:replaying", "echo_tool", 0, 1],
      ["rollout:replaying", "echo_tool", 1, 1],
      ["run:started", undefined, undefined, undefined],
    ],
  );
});
