import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { permissionModes, type PermissionMode } from "../../src/core/permission.ts";
import { openGated, yes } from "./support.ts";

const calls = {
  read: ["read", { file_path: "notes.txt" }],
  "read-only shell": ["bash", { command: "cat notes.txt | wc -l" }],
  edit: ["write", { file_path: "out.txt", content: "x" }],
  "other shell": ["bash", { command: "touch made" }],
  danger: ["bash", { command: "rm -rf victim" }],
  "protected name": ["write", { file_path: ".git/hooks/pre-commit", content: "x" }],
} as const;

type Answer = "runs" | "asked" | "refused";

/** The table of the five modes, for a machine whose sandbox is switched off and one where it is on. */
const table: Record<keyof typeof calls, Record<PermissionMode, Answer>> = {
  read: { ask: "runs", "accept-edits": "runs", auto: "runs", plan: "runs", never: "runs" },
  "read-only shell": { ask: "runs", "accept-edits": "runs", auto: "runs", plan: "runs", never: "runs" },
  edit: { ask: "asked", "accept-edits": "runs", auto: "runs", plan: "refused", never: "refused" },
  "other shell": { ask: "asked", "accept-edits": "asked", auto: "asked", plan: "refused", never: "refused" },
  danger: { ask: "asked", "accept-edits": "asked", auto: "asked", plan: "refused", never: "refused" },
  "protected name": { ask: "asked", "accept-edits": "asked", auto: "asked", plan: "refused", never: "refused" },
};

for (const mode of permissionModes) {
  test(`in the mode ${mode} every kind of call gets its answer [L8 G8 E7]`, async (t) => {
    const gated = await openGated(t, { permissions: { mode }, sandbox: "off" });
    const { workdir, asked } = gated;
    await writeFile(join(workdir, "notes.txt"), "a\nb\n");
    await mkdir(join(workdir, "victim"));
    for (const [kind, [tool, input]] of Object.entries(calls)) {
      const before = asked.length;
      const { state, errorType, error, permission } = await gated.call(tool, input);
      const answer = asked.length > before ? "asked" : state === "completed" ? "runs" : "refused";
      assert.equal(answer, table[kind as keyof typeof calls][mode], `${kind}: ${error}`);
      if (answer === "runs") continue;
      assert.deepEqual([state, errorType, permission?.decision], ["cancelled", "denied", "deny"], kind);
      if (answer === "asked") assert.equal(error, "User denied permission");
    }
    assert.ok(existsSync(join(workdir, "victim")));
    assert.ok(!existsSync(join(workdir, ".git")));
  });

  test(`in the mode ${mode} a rule can allow an edit and a command, never a danger [G8 L8]`, async (t) => {
    const allow = ["*", "bash", "bash(rm *)", "write(**)"];
    const gated = await openGated(t, { permissions: { mode, allow }, sandbox: "off" });
    await mkdir(join(gated.workdir, "victim"));
    const edit = await gated.call(...calls.edit);
    const shell = await gated.call(...calls["other shell"]);
    assert.deepEqual(
      [edit.state, shell.state],
      mode === "plan" ? ["cancelled", "cancelled"] : ["completed", "completed"],
    );
    assert.equal(gated.asked.length, 0);
    const danger = await gated.call(...calls.danger);
    assert.equal(danger.state, "cancelled");
    assert.ok(existsSync(join(gated.workdir, "victim")));
    assert.equal(gated.asked.length, mode === "plan" || mode === "never" ? 0 : 1);
  });
}

test("dangerous calls of all kinds, asked for in every mode: none runs without a yes, and each runs with one [L8 G8]", async (t) => {
  const dangerous = [
    "rm -rf victim",
    "rm -r -f ./victim",
    "find victim -delete",
    "cd victim && cd .. && rm -fr victim",
    "X=rm; $X -rf victim",
    'bash -c "rm -rf victim"',
    "echo 'rm -rf victim' | sh",
    "sudo rm -rf victim",
    "git clean -fdx",
    "python3 -c \"import shutil; shutil.rmtree('victim')\"",
    "$(echo rm) -rf victim",
    "eval 'rm -rf victim'",
  ];
  let executed = 0;
  for (const mode of permissionModes) {
    const gated = await openGated(t, { permissions: { mode, allow: ["*"] } });
    const victim = join(gated.workdir, "victim");
    for (const command of dangerous) {
      await mkdir(victim, { recursive: true });
      const execution = await gated.call("bash", { command });
      if (execution.runPhase !== "not_started" || !existsSync(victim)) executed += 1;
      assert.ok((execution.permission?.dangers.length ?? 0) > 0, command);
    }
    const wanted = mode === "plan" || mode === "never" ? 0 : dangerous.length;
    assert.equal(gated.asked.length, wanted, mode);
    for (const { isDanger, scopes, detail } of gated.asked) {
      assert.ok(isDanger);
      assert.deepEqual(scopes, ["once"]);
      assert.ok(detail !== null && dangerous.includes(detail));
    }
  }
  assert.equal(executed, 0);

  const willing = await openGated(t, { permissions: { mode: "auto" } }, { answer: yes });
  const victim = join(willing.workdir, "victim");
  await mkdir(victim);
  const { state, permission } = await willing.call("bash", { command: "rm -rf victim" });
  assert.equal(state, "completed");
  assert.ok(!existsSync(victim));
  assert.deepEqual([permission?.by, permission?.who], ["person", "kim"]);
});
