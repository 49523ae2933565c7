import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { playDemo } from "../../../src/cli/commands/demo/play-demo.ts";
import { openScratch, withoutPauses } from "../../../src/cli/commands/demo/scratch.ts";
import { createScreenNarrator, createVisitor } from "../../../src/cli/commands/demo/demo-command.ts";
import { openScreen } from "../../../src/cli/output/screen.ts";
import { displayWidth } from "../../../src/cli/terminal/terminal-text.ts";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { afterTest } from "../../support/after-test.ts";
import { isRunning } from "../../support/living-processes.ts";
import { openMachine } from "../run-deckhand.ts";

test("what the demo says is what happened in its folder [P4, L7, L8, D4, D5]", async (t) => {
  const machine = await openMachine(t);
  const scratch = await openScratch(machine.env);
  afterTest(t, () => scratch.remove());
  const leaving = new AbortController().signal;
  const style = (_: unknown, text: string): string => text;
  let shown = "";
  const write = (text: string): void => void (shown += text);
  const stream = { columns: 40, write, on: () => undefined, off: () => undefined };
  const screen = openScreen({ stream, clock, termName: undefined });
  const { left, scenes } = await playDemo({
    scratch,
    clock,
    leaving,
    pace: withoutPauses,
    narrator: createScreenNarrator({ screen, style, env: {}, clock, pace: withoutPauses, leaving }),
    guest: createVisitor({ style, clock, pace: withoutPauses, leaving, show: () => undefined }),
  });
  assert.equal(left, false);

  const { calls, early } = scenes.reads!;
  assert.deepEqual({ calls, early }, { calls: 3, early: 3 });
  assert.deepEqual(scenes.question, { selected: "To the nearest cent" });

  const price = await readFile(join(scratch.workdir, "src", "price.js"), "utf8");
  assert.match(price, /^ {2}return Math\.round\(price \* count \* 100\) \/ 100;$/m);
  const { text, tests, ...edit } = scenes.edit!;
  assert.deepEqual({ text, tests }, { text: price, tests: "completed" });
  assert.deepEqual(edit, { decision: "allow", by: "person", claims: 3, matched: 3, unmatched: [] });

  assert.deepEqual(await readdir(join(scratch.workdir, "backups")), ["monday.txt", "tuesday.txt"]);
  const { ran, errorType, dangers } = scenes.danger!;
  assert.deepEqual({ ran, errorType }, { ran: false, errorType: "denied" });
  assert.ok((dangers as string[]).includes("delete.recursive"));

  const { state, killed, survivors } = scenes.cancel!;
  assert.deepEqual({ state, survivors }, { state: "cancelled", survivors: [] });
  const pids = (killed as { pid: number }[]).map(({ pid }) => pid);
  assert.ok(pids.length >= 2, `${pids.length} processes were ended`);
  assert.deepEqual(pids.filter(isRunning), []);

  assert.deepEqual(scenes.evidence!["unmatched"], ["npm run lint"]);
  assert.match(shown, /^evidence: 2 of 3 claims have a call; not\nfound: `npm run lint`$/m);

  const env = scratch.env as Record<string, string>;
  const verified = await machine.run(["log", "verify", "--json", "--workdir", scratch.workdir], { env });
  const { ok, head } = JSON.parse(verified.stdout);
  assert.deepEqual({ code: verified.code, ok }, { code: 0, ok: true });
  assert.deepEqual(scenes.log, { ok: true, lines: scenes.log!["lines"], head, forgeryFound: true });

  const listed = await machine.run(["calls", "--json", "--limit", "50", "--workdir", scratch.workdir], { env });
  const recorded = (JSON.parse(listed.stdout) as { tool_id: string; state: string }[]).toReversed();
  assert.deepEqual(recorded.map(({ tool_id, state: ended }) => `${tool_id} ${ended}`).toSorted(), [
    "ask_user completed",
    "bash cancelled",
    "bash cancelled",
    "bash completed",
    "bash completed",
    "edit completed",
    "read completed",
    "read completed",
    "read completed",
  ]);
  for (const line of shown.split("\n")) assert.ok(displayWidth(line) <= 40, `wider than 40 columns: ${line}`);
});
