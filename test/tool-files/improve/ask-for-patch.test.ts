import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../../src/core/clock.ts";
import { createScriptedModel } from "../../../packages/testing/src/create-scripted-model.ts";
import type { Script } from "../../../packages/testing/src/script.ts";
import { openProposer, type Proposer } from "../../../src/tool-files/improve/ask-for-patch.ts";
import { createManualClock } from "../../support/manual-clock.ts";

/** A model that says this, and how long was waited for it. */
function propose(
  turns: Script["turns"],
  signal = new AbortController().signal,
): { proposer: Proposer; waits: number[] } {
  const waits: number[] = [];
  const clock: Clock = {
    ...createManualClock(),
    after(delayMs, callback) {
      waits.push(delayMs);
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  const model = createScriptedModel({ turns });
  return { proposer: openProposer({ model, clock, conversationId: "ses_1", signal }), waits };
}

const fine = "Mended.\n```\nlet a;\n```";
const read = { ok: true, content: "let a;\n", summary: "Mended." };

test("a model that is busy is asked again, after what it says [V7]", async () => {
  const { proposer, waits } = propose([{ text: fine, fail: { status: 429, retryAfterMs: 2000 } }]);
  assert.deepEqual([await proposer.ask("Mend it."), waits], [read, [2000]]);
  assert.ok(proposer.usage.outputTokens > 0);
});

test("one that goes on being busy, or has no key, gave no answer, and why is said [V7]", async () => {
  const busy = propose([{ text: fine, fail: { kind: "overloaded", times: "always" } }]);
  const answer = await busy.proposer.ask("Mend it.");
  assert.equal(answer.ok, "no_reply");
  assert.equal(busy.waits.length, 2);
  const locked = propose([{ fail: { kind: "key", message: "The key is wrong." } }, fine]);
  assert.match(JSON.stringify(await locked.proposer.ask("Mend it.")), /no_reply.*key/i);
  assert.equal(locked.waits.length, 0);
});

test("a reply that never ends is cut off, and the conversation goes on without it [V7]", async () => {
  const { proposer } = propose([{ text: "x".repeat(3 * 1024 * 1024) }, fine]);
  const reason = "The reply is larger than 1 MB, and a tool file may not be.";
  assert.deepEqual(await proposer.ask("Mend it."), { ok: false, reason });
  assert.deepEqual(await proposer.ask("Shorter."), read);
});
