import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inMode } from "../process/support.ts";
import { openMachine } from "./run-deckhand.ts";

const script = { turns: [{ calls: [{ tool: "bash", input: { command: "mkdir .husky" } }] }, "Done."] };
const args = ["run", "Make it.", "--model", "script:script.json"];
const title =
  "a run without a terminal moves new protected names aside, and `restore` lists and puts them back (S-M1) [G1]";

test("without a sandbox the mode auto asks, so that without a terminal no protected name is made (S-M1) [G1]", async (t) => {
  const machine = await openMachine(t);
  writeFileSync(join(machine.workdir, "script.json"), JSON.stringify(script));
  const env = { DECKHAND_PERMISSIONS_MODE: "auto", DECKHAND_SANDBOX_MODE: "off" };
  const { stderr } = await machine.run(args, { env });
  assert.equal(existsSync(join(machine.workdir, ".husky")), false, stderr);
});

test(title, inMode("require"), async (t) => {
  const machine = await openMachine(t);
  const { workdir } = machine;
  writeFileSync(join(workdir, "script.json"), JSON.stringify(script));
  const empty = await machine.run(["restore"]);
  assert.deepEqual([empty.code, empty.stdout], [0, "There is nothing to restore.\n"]);
  const ran = await machine.run(args, { env: { DECKHAND_PERMISSIONS_MODE: "auto" } });
  assert.equal(existsSync(join(workdir, ".husky")), false, ran.stderr);
  const listed = await machine.run(["restore"]);
  assert.match(
    listed.stdout,
    /^\.husky {2}made while call call_\S+ ran, \S+; moved to \.deckhand\/moved\/call_\S+\/\.husky\n$/,
  );
  const inside = await machine.run(["restore", ".husky"], { env: { DECKHAND_EXECUTION: "call_x" } });
  assert.equal(inside.code, 3);
  const unknown = await machine.run(["restore", ".vscode"]);
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [2, 'deckhand: ".vscode" is not among the new names: `deckhand restore` lists them.\n'],
  );
  const back = await machine.run(["restore", ".husky"]);
  assert.deepEqual([back.code, back.stdout], [0, ".husky is back in place.\n"]);
  assert.equal(existsSync(join(workdir, ".husky")), true);
});

test("a workspace inside .git is refused in one sentence, by every command that would work there (S-H1d) [G1]", async (t) => {
  const machine = await openMachine(t);
  const hooks = join(machine.workdir, ".git/hooks");
  await machine.run(["tool", "bash", '{"command":"mkdir -p .git/hooks"}']);
  for (const args of [
    ["run", "x", "--mode", "accept-edits", "--workdir", hooks],
    ["tool", "read", "{}", "--workdir", hooks],
    ["check", "path", "pre-commit", "--op", "write", "--workdir", hooks],
  ]) {
    const { code, stderr } = await machine.run(args);
    assert.notEqual(code, 0);
    assert.match(stderr, /The workdir \S+\/\.git\/hooks lies inside a folder \.git; name the folder of a project\./);
  }
});
