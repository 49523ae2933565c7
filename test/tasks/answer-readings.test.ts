import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { AgentAdapter } from "../../src/tasks/adapters/agent-adapter.ts";
import { openTasks } from "./support/open-tasks.ts";
import { scriptAgents } from "./support/script-agents.ts";
import { until } from "./support/until.ts";

const door = "mcp" as const;

test("whoever polls a task that others watch has each line of it read once, and a long answer cut [T7]", async (t) => {
  const one = await openTasks(t);
  const lines: string[] = [];
  const said = scriptAgents.get("said")!;
  const counting: AgentAdapter = {
    ...said,
    openReader() {
      const reader = said.openReader();
      return { ...reader, line: (line) => (lines.push(line), reader.line(line)) };
    },
  };
  const other = await openTasks(t, { adapters: new Map([["said", counting]]) }, one.folder);
  const message = `echo text ${"y".repeat(3000)}; until [ -e ${one.folder}/go ]; do sleep 0.02; done; echo text end; sleep 60`;
  const { id } = await one.manager.start({ agent: "said", message, door });
  await until(async () => (await other.manager.output(id, {})).answer.length === 3000, "its answer");
  for (const from of [0, 5, -1]) {
    const polls = [other.manager.output(id, { from }), other.manager.output(id, { from, answerCharacters: 200 })];
    const [whole, cut] = await Promise.all(polls);
    assert.equal(whole!.answer.length, 3000);
    assert.match(cut!.answer, /^y+\n… \[\d+ characters cut\] …\ny+$/);
    assert.ok(cut!.answer.length <= 200);
  }
  assert.equal(lines.length, 1);
  writeFileSync(join(one.folder, "go"), "");
  await until(async () => (await other.manager.output(id, {})).answer.endsWith("yend"), "the rest of it");
  assert.equal(lines.length, 2);
});
