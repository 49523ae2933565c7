import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { until } from "../../support/runtime.ts";
import { openDemoMachine } from "./machine.ts";

test("without a terminal the demo plays through, and leaves nothing behind", async (t) => {
  const machine = await openDemoMachine(t);
  const before = await machine.belongings();
  const { code, stdout, stderr } = await machine.run(["demo", "--fast"]);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.deepEqual(stdout.match(/^\d\/6 .+$/gm)?.length, 6);
  assert.match(stdout, /^✓ read src\/price\.js .* early$/m);
  assert.match(stdout, /^\+ {2}return Math\.round/m);
  assert.match(stdout, /^■ bash rm -rf backups · refused$/m);
  assert.match(stdout, /^■ bash sh soak\.sh · cancelled/m);
  assert.match(stdout, /^▸ The log is whole/m);
  // oxlint-disable-next-line no-control-regex -- colours are what must not be there
  assert.doesNotMatch(stdout, /\u001b/);
  assert.deepEqual(await machine.belongings(), before);
  assert.deepEqual(await readdir(machine.temporary), []);
});

test("demo --json prints every event as a line, and what came of it last", async (t) => {
  const machine = await openDemoMachine(t);
  const { code, stdout, stderr } = await machine.run(["demo", "--json"]);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.filter(({ type }) => type === "scene:ended").map(({ name }) => name),
    ["reads", "question", "edit", "danger", "cancel", "evidence", "log"],
  );
  const decisions = lines.filter(({ type }) => type === "approval:settled").map(({ decision }) => decision);
  assert.deepEqual(decisions, ["allow", "deny"]);
  const { type, left, calls, scenes } = lines.at(-1)!;
  assert.deepEqual({ type, left, calls }, { type: "demo:ended", left: false, calls: 9 });
  assert.equal((scenes as { danger: { ran: boolean } }).danger.ran, false);
});

test("a demo that is ended by a signal removes its folder", async (t) => {
  const machine = await openDemoMachine(t);
  const demo = machine.start(["demo", "--json"]);
  await until("the demo has begun", () => demo.stdout().includes("scene:started"));
  demo.child.kill("SIGTERM");
  const { code, stdout } = await demo.ended;
  assert.equal(code, 143);
  assert.match(stdout, /"type":"demo:ended","left":true.*\n$/);
  assert.deepEqual(await readdir(machine.temporary), []);
});

test("a demo without a place for its folder says so", async (t) => {
  const machine = await openDemoMachine(t);
  const { code, stdout, stderr } = await machine.run(["demo"], { env: { TMPDIR: `${machine.temporary}/none` } });
  assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
  assert.match(stderr, /^deckhand: The demo needs a temporary folder, .* set TMPDIR to one that can be written\.\n$/);
});

test("deckhand alone, without a model and a terminal, says what is missing, ends with 2 and writes nothing", async (t) => {
  const machine = await openDemoMachine(t);
  const before = await machine.belongings();
  const { code, stdout, stderr } = await machine.run([]);
  assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
  assert.match(stderr, /^deckhand: [\s\S]*ANTHROPIC_API_KEY[\s\S]*deckhand demo` shows a tour without a model\.\n$/);
  assert.deepEqual(await machine.belongings(), before);
});
