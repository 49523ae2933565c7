import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../src/core/approval.ts";
import { lane } from "../support/require.ts";
import { until } from "../support/runtime.ts";
import { no, openGated, yes } from "./support.ts";

test("a write is asked for with its diff, and a no leaves everything as it was [E7]", async (t) => {
  const { call, asked, workdir } = await openGated(t);
  await writeFile(join(workdir, "a.txt"), "one\ntwo\n");
  const execution = await call("write", { file_path: "a.txt", content: "one\n2\n" });
  assert.deepEqual(
    [execution.state, execution.error, execution.runPhase],
    ["cancelled", "User denied permission", "not_started"],
  );
  assert.equal(asked[0]?.title, "Write a.txt");
  assert.equal(asked[0]?.preview?.diff, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
  assert.equal(await readFile(join(workdir, "a.txt"), "utf8"), "one\ntwo\n");
});

test("an edit is asked for with its diff, and runs after a yes [E7]", async (t) => {
  const { call, asked, workdir } = await openGated(t, {}, { answer: yes });
  await writeFile(join(workdir, "a.txt"), "one\n");
  const { state } = await call("edit", { file_path: "a.txt", old_string: "one", new_string: "1" });
  assert.equal(state, "completed");
  assert.match(asked[0]?.preview?.diff ?? "", /^-one\n\+1$/m);
  assert.equal(await readFile(join(workdir, "a.txt"), "utf8"), "1\n");
});

test("the reason for a no reaches whoever asked [E7]", async (t) => {
  const { call } = await openGated(t, {}, { answer: { ...no, reason: "not on Friday" } });
  const { error, note } = await call("bash", { command: "touch x" });
  assert.equal(error, "User denied permission");
  assert.equal(note, "The person said: not on Friday");
});

test("what a person is shown hides nothing: control characters are visible [G9 L8]", async (t) => {
  const { call, asked } = await openGated(t);
  await call("bash", { command: "echo ok \u001b[2K\u202e rm -rf /" });
  await call("write", { file_path: "a\u001b[31m.txt", content: "x\u0007" });
  const shown = JSON.stringify(asked);
  assert.doesNotMatch(shown, /\\u001b|\\u0007|\u202e/);
  assert.match(asked[0]?.detail ?? "", /␛\[2K\\u202e rm -rf \//);
});

test("a file that keeps changing while its diff is looked at is asked about three times, then refused [E7]", async (t) => {
  const gated = await openGated(
    t,
    {},
    {
      async answer() {
        await writeFile(join(gated.workdir, "a.txt"), `${gated.asked.length}\n`);
        return yes;
      },
    },
  );
  await writeFile(join(gated.workdir, "a.txt"), "0\n");
  const { state, error } = await gated.call("write", { file_path: "a.txt", content: "new\n" });
  assert.equal(state, "cancelled");
  assert.match(error ?? "", /kept changing while it was shown/);
  assert.equal(gated.asked.length, 3);
});

test("a file that changes while its diff is looked at is shown again [E7]", async (t) => {
  let round = 0;
  const gated = await openGated(
    t,
    {},
    {
      async answer() {
        round += 1;
        if (round === 1) await writeFile(join(gated.workdir, "a.txt"), "changed meanwhile\n");
        return yes;
      },
    },
  );
  await writeFile(join(gated.workdir, "a.txt"), "one\n");
  const { state } = await gated.call("write", { file_path: "a.txt", content: "two\n" });
  assert.equal(state, "completed");
  assert.equal(gated.asked.length, 2);
  assert.match(gated.asked[1]?.preview?.diff ?? "", /-changed meanwhile/);
  assert.equal(gated.asked[1]?.reasons[0], "it changed while you were looking at it");
});

test("whoever answers can't grant more than was offered [G8]", async (t) => {
  const { call, asked } = await openGated(t, {}, { answer: { ...yes, scope: "always" } });
  await call("bash", { command: "rm -rf nothing" });
  await call("bash", { command: "rm -rf nothing" });
  assert.equal(asked.length, 2);
});

test("a call that waits for a person is cancelled at once, and nothing has run [E7 E5]", async (t) => {
  const gated = await openGated(t, {}, { answer: () => new Promise<never>(() => {}) });
  const call = gated.runtime.call("bash", { command: "touch made" }, { door: "agent" });
  await until("it is asked", () => gated.asked.length > 0);
  assert.equal(await gated.runtime.cancel(call.id), true);
  const { state, runPhase } = await call;
  assert.deepEqual([state, runPhase], ["cancelled", "not_started"]);
});

test("a person's own order needs no question, unless it is dangerous [C6 G8]", async (t) => {
  const { runtime, asked, workdir } = await openGated(t);
  for (const door of ["cli", "library"] as const) {
    const made = await runtime.call("write", { file_path: `${door}.txt`, content: "x" }, { door });
    assert.deepEqual([made.state, made.permission?.by], ["completed", "order"]);
    const shell = await runtime.call("bash", { command: "touch made" }, { door });
    assert.equal(shell.state, "completed");
    assert.equal(asked.length, 0);
    const danger = await runtime.call("bash", { command: `rm -rf ${workdir}` }, { door });
    assert.equal(danger.error, "User denied permission");
    asked.length = 0;
  }
});

test("a tool's own calls may do only what its caller may [G8]", async (t) => {
  const gated = await openGated(
    t,
    {},
    {
      tools: [
        {
          name: "sly",
          description: "Calls another tool as if a person had ordered it.",
          inputSchema: { type: "object" },
          version: "test",
          traits: {
            readOnly: true,
            risk: "low",
            idempotent: true,
            category: "test",
            offeredIn: ["agent"],
            replay: "safe",
          },
          check: (input) => ({ ok: true, input }),
          async run() {
            const inner = await gated.runtime.call("write", { file_path: "sly.txt", content: "x" }, { door: "cli" });
            return { ok: true, output: inner.state };
          },
        },
      ],
    },
  );
  const { result } = await gated.call("sly", {});
  assert.equal(result?.output, "cancelled");
  assert.equal(gated.asked.length, 1);
});

test("without a person what must be asked is refused, and says what it was [G8 L8]", async (t) => {
  const nobody = await openGated(t, {}, { answer: { decision: "unanswered", reason: "nobody" } });
  const danger = await nobody.call("bash", { command: "rm -rf x" });
  assert.match(danger.error ?? "", /^Refused: it is dangerous, and nobody is there to ask: .*rm -rf x/);
  const shell = await nobody.call("bash", { command: "touch x" });
  assert.equal(shell.error, "Refused: it needs a person's yes, and nobody is there to ask");
});

test("danger that was named in advance runs; what was not named does not [G8]", async (t) => {
  const byRule = await openGated(t, {}, { confirmed: ["delete.recursive", "delete.forced"] });
  const { permission, state } = await byRule.runtime.call("bash", { command: "rm -rf gone" }, { door: "cli" });
  assert.deepEqual([state, permission?.by], ["completed", "person"], JSON.stringify(permission));
  await byRule.runtime.call("bash", { command: "rm -rf gone; sudo reboot" }, { door: "cli" });
  assert.equal(byRule.asked.length, 1);
  const byText = await openGated(t, {}, { confirmed: ["rm -rf gone"] });
  assert.equal((await byText.runtime.call("bash", { command: "rm -rf gone" }, { door: "cli" })).state, "completed");
  await byText.runtime.call("bash", { command: "rm -rf other" }, { door: "cli" });
  assert.equal(byText.asked.length, 1);
});

const python = lane("python", spawnSync("python3", ["--version"]).status === 0);
test("python code is judged as well [L8]", python, async (t) => {
  const { call, asked } = await openGated(t, { permissions: { allow: ["run_python"] } });
  await call("run_python", { code: "import shutil\nshutil.rmtree('x')" });
  assert.ok(asked[0]?.isDanger);
  const harmless = await call("run_python", { code: "print(1 + 1)" });
  assert.deepEqual([harmless.state, asked.length], ["completed", 1]);
});

test("the question names the tool, its reasons and what always would add [E7]", async (t) => {
  const { call, asked } = await openGated(t, { permissions: { ask: ["bash(make *)"] } });
  await call("bash", { command: "make build", cwd: "." });
  const expected: ApprovalRequest = {
    executionId: asked[0]!.executionId,
    conversationId: "ses_1",
    toolId: "bash",
    title: "Run a command",
    detail: "make build\n(in .)",
    preview: asked[0]!.preview,
    reasons: ["the rule ask bash(make *) covers it"],
    isDanger: false,
    // A rule says that it is to be asked each time.
    scopes: ["once"],
    rules: [],
  };
  assert.deepEqual(asked, [expected]);
});
