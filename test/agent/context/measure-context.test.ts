import assert from "node:assert/strict";
import { test } from "node:test";
import {
  contextLimit,
  createContextMeter,
  describeTooSmallWindow,
  shouldCompact,
} from "../../../src/agent/context-window.ts";
import { estimateMessage, estimateTokens } from "../../../src/agent/context/estimate-tokens.ts";
import type { Message } from "../../../src/core/message.ts";
import { noUsage } from "../../../src/core/model.ts";

test("without figures of a provider the estimates count alone [L4]", () => {
  const meter = createContextMeter({ system: "You help.", tools: [], maxTokens: 1_000 });
  assert.equal(meter.tokens, estimateTokens("You help."));
  meter.add(said("user", "Hello there, please look at the file."));
  meter.addReply(said("assistant", "I will."), noUsage);
  const all = [said("user", "Hello there, please look at the file."), said("assistant", "I will.")];
  assert.equal(meter.tokens, estimateTokens("You help.") + all.reduce((sum, each) => sum + estimateMessage(each), 0));
});

test("a provider's figures win, and what came since is estimated at this provider's rate [L4]", () => {
  const system = "word ".repeat(400);
  const meter = createContextMeter({ system, tools: [], maxTokens: 100_000 });
  const sent = meter.tokens;
  meter.addReply(said("assistant", "Done."), { ...noUsage, inputTokens: sent * 2, outputTokens: 7 });
  assert.equal(meter.tokens, sent * 2 + 7);
  assert.equal(meter.rate, 2);
  const next = said("user", "and now something that is a little longer than before");
  meter.add(next);
  assert.equal(meter.tokens, sent * 2 + 7 + 2 * estimateMessage(next));
});

test("after a compaction the rate stays and the sums start anew [L4]", () => {
  const meter = createContextMeter({ system: "word ".repeat(100), tools: [], maxTokens: 100_000 });
  const fixed = meter.tokens;
  meter.addReply(said("assistant", "Done."), {
    ...noUsage,
    inputTokens: Math.round(fixed * 1.5),
    outputTokens: 50_000,
  });
  meter.restart([said("user", "short")]);
  assert.ok(Math.abs(meter.tokens - 1.5 * (fixed + estimateMessage(said("user", "short")))) <= 2, `${meter.tokens}`);
});

test("80 % is told as info and 100 % as a warning, each once until it falls below again [L4]", () => {
  const meter = createContextMeter({ system: "", tools: [], maxTokens: 1_000 });
  const fillTo = (tokens: number): void =>
    meter.addReply(said("assistant", "x"), { ...noUsage, inputTokens: tokens, outputTokens: 0 });
  fillTo(790);
  assert.equal(meter.takeNotice(), null);
  fillTo(800);
  assert.deepEqual(meter.takeNotice(), {
    level: "info",
    text: "The context is filling up: 800 of 1,000 tokens (80 %). Old turns will be summarised soon; /compact does it now.",
  });
  fillTo(950);
  assert.equal(meter.takeNotice(), null);
  fillTo(1_000);
  assert.equal(meter.takeNotice()?.level, "warning");
  assert.equal(meter.takeNotice(), null);
  fillTo(900);
  assert.equal(meter.takeNotice(), null);
  fillTo(1_001);
  assert.equal(meter.takeNotice()?.level, "warning");
  fillTo(10);
  assert.equal(meter.takeNotice(), null);
  fillTo(850);
  assert.equal(meter.takeNotice()?.level, "info");
});

test("the maximum is the configured one, else the model's, else 100,000 [L4]", () => {
  assert.equal(contextLimit(50_000, { contextTokens: 200_000, maxOutputTokens: null }), 50_000);
  assert.equal(contextLimit(null, { contextTokens: 200_000, maxOutputTokens: null }), 200_000);
  assert.equal(contextLimit(null, { contextTokens: null, maxOutputTokens: null }), 100_000);
});

test("it is time to compact at 85 %, and when the provider says that it was too long [L6]", () => {
  assert.equal(shouldCompact({ tokens: 849, maxTokens: 1_000 }), false);
  assert.equal(shouldCompact({ tokens: 850, maxTokens: 1_000 }), true);
  const failure = { message: "Too long.", status: 400, retryAfterMs: null };
  assert.equal(shouldCompact({ tokens: 10, maxTokens: 1_000 }, { ...failure, kind: "window" }), true);
  assert.equal(shouldCompact({ tokens: 10, maxTokens: 1_000 }, { ...failure, kind: "rejected" }), false);
});

test("a window too small for the system prompt is told in one sentence before any request [L4]", () => {
  const system = "Be careful with files. ".repeat(800);
  assert.match(
    describeTooSmallWindow({ system, tools: [], maxTokens: 4_096 }) ?? "",
    /^The window of 4,096 tokens is too small: the system prompt takes about [\d,]+, the 0 tools about 0, .*Choose a model with a larger window/,
  );
  assert.equal(describeTooSmallWindow({ system, tools: [], maxTokens: 32_000 }), null);
});

function said(role: "user" | "assistant", text: string): Message {
  return { role, parts: [{ type: "text", text }] };
}
