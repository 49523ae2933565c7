import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { defineTool } from "../../src/core/define-tool.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openScheduled, runHere } from "./schedule-bench.ts";

/** A tool that wants a text by this name. */
function reportTool(key: string) {
  return defineTool({
    name: "report",
    description: "Reports.",
    traits: { readOnly: true },
    input: z.object({ [key]: z.string() }),
    async run() {
      return { ok: true, output: "fine" };
    },
  });
}

test("a job whose input does not fit its tool any more says so, and what to do [D1]", async (t) => {
  const home = await temporaryFolder(t);
  const before = await openScheduled(t, { home, tools: [reportTool("title")] });
  await before.schedule.add({ name: "r", every: "1d", tool: "report", input: { title: "x" } }, { by: "kim" });
  assert.equal((await runHere(before.schedule, "r")).summary, "fine");
  await before.runtime.close();
  const after = await openScheduled(t, { home, tools: [reportTool("heading")] });
  const run = await runHere(after.schedule, "r");
  assert.deepEqual(
    [run.state, run.reason],
    [
      "failed",
      "The input of the job does not fit report any more: Missing parameters: heading. Add the job again with one that does; see `deckhand tools report`.",
    ],
  );
});

test("what a person said when they refused a job's call stands in its history [D1] [L7]", async (t) => {
  const { schedule, runtime, home } = await openScheduled(t);
  await writeFile(join(home, "old"), "");
  const input = { command: `rm -rf ${join(home, "old")}` };
  await schedule.add({ name: "tidy", every: "1d", tool: "bash", input, pause_after: 0 }, { by: "kim" });
  const decisions = [{ allow: false, reason: "not on Friday" }, { allow: false }];
  runtime.on("inbox:added", ({ id }) => void runtime.inbox.decide(id, decisions.shift()!, "lee"));
  assert.equal(
    (await runHere(schedule, "tidy")).reason,
    "User denied permission (lee). The person said: not on Friday",
  );
  assert.equal((await runHere(schedule, "tidy")).reason, "User denied permission (lee)");
});
