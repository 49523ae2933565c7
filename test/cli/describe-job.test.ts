import assert from "node:assert/strict";
import { test } from "node:test";
import { durationOfRun, resumeCommand } from "../../src/cli/describe-job.ts";
import type { Run } from "../../src/core/schedule.ts";

test("how long a run took is told of its last try, and of none that waits for one [D1]", () => {
  const took = (run: Pick<Run, "state" | "attempt" | "endedAt">): string =>
    durationOfRun({ startedAt: 1000, ...run } as Run, 9000);
  assert.equal(took({ state: "failed", attempt: 1, endedAt: 3000 }), "2 s");
  assert.equal(took({ state: "failed", attempt: 3, endedAt: 3000 }), "2 s (last try)");
  assert.equal(took({ state: "running", attempt: 2, endedAt: null }), "8 s (last try)");
  assert.equal(took({ state: "due", attempt: 2, endedAt: null }), "");
  assert.equal(took({ state: "claimed", attempt: 2, endedAt: null }), "");
});

test("the command that resumes a job can be copied, whatever its name [D1]", () => {
  assert.equal(resumeCommand("nightly-2"), "`deckhand schedule resume nightly-2`");
  assert.equal(resumeCommand("it's $HOME"), String.raw`${"`"}deckhand schedule resume 'it'\''s $HOME'${"`"}`);
});
