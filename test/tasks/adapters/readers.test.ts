import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import type { AgentVerdict, ReaderNews } from "../../../src/tasks/adapters/agent-adapter.ts";
import { listAdapters } from "../../../src/tasks/adapters/list-adapters.ts";
import { count } from "../../support/counts.ts";

const adapters = listAdapters({ own: ["node", "/opt/deckhand.js"] });
const cleanExit = { code: 0, signal: null, errorText: "" };

/** What the six CLIs of test/e2e/agents printed: a call of a tool, then an answer, or the model's 400. Long texts are cut. */
const recorded = ["claude", "codex", "gemini", "opencode", "qwen", "pi"] as const;
type Recorded = (typeof recorded)[number];

const failures: Readonly<Record<Recorded, string>> = {
  claude: "claude failed: API Error: 400 no such luck.",
  codex: "codex failed: no such luck.",
  gemini: "gemini failed: [API Error: no such luck].",
  opencode: "opencode failed: no such luck.",
  qwen: "qwen failed: [API Error: 400 no such luck].",
  pi: "pi failed: 400: no such luck.",
};

for (const agent of recorded) {
  test(`${agent}'s events tell answer, session and progress, whatever its exit code [T7] [T8]`, () => {
    for (const code of [0, 1, null]) {
      const { verdict, news, partial } = read(agent, linesOf(agent, "success"), { ...cleanExit, code });
      assert.deepEqual(verdict, { ok: true, text: "The word is heron." });
      assert.equal(partial, "The word is heron.");
      const [sessionId, ...more] = news.flatMap((each) => each.sessionId ?? []);
      assert.match(sessionId!, /^(?:ses_|[0-9a-f]{8}-)/);
      assert.deepEqual(more, []);
      const progress = news.flatMap((each) => each.progress ?? []);
      assert.equal(progress.length, 3);
      assert.match(progress[1]!, /notes\.txt/);
      const isDone = news.flatMap((each) => each.isDone ?? []);
      assert.deepEqual(isDone, [true]);
    }
  });

  test(`${agent}'s failure is one, also with exit code 0 [T8]`, () => {
    const { verdict } = read(agent, linesOf(agent, "failure"), cleanExit);
    assert.deepEqual(verdict, { ok: false, error: failures[agent] });
  });

  test(`${agent}'s failure never reads as success, however its lines are cut and mixed with garbage [T8]`, () => {
    const text = linesOf(agent, "failure").join("\n");
    const cuts = fc.array(fc.nat({ max: text.length }), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, fc.array(garbage, { maxLength: 12 }), (places, between) => {
        const { verdict } = read(agent, mix(text, places, between), cleanExit);
        assert.equal(verdict.ok, false);
      }),
      { numRuns: count({ quick: 100, full: 5000 }) },
    );
  });

  test(`${agent}'s success is never one without its last word, wherever the stream ends [T8]`, () => {
    const text = linesOf(agent, "success").join("\n");
    const lastWord = text.indexOf("The word is heron.");
    fc.assert(
      fc.property(fc.nat({ max: lastWord }), (end) => {
        const { verdict } = read(agent, text.slice(0, end).split("\n"), { code: 0, signal: null, errorText: "" });
        assert.equal(verdict.ok, false);
      }),
      { numRuns: count({ quick: 50, full: 2000 }) },
    );
  });
}

test("no reader throws or finds success in what only looks like events [T8]", () => {
  const types = fc.constantFrom(
    "result",
    "error",
    "message",
    "item.completed",
    "step_finish",
    "message_end",
    "text",
    "end",
  );
  const event = fc
    .record({ type: types }, { requiredKeys: ["type"] })
    .chain((base) =>
      fc
        .dictionary(
          fc.constantFrom("part", "item", "message", "content", "error", "session_id", "role"),
          fc.jsonValue(),
        )
        .map((more) => JSON.stringify({ ...more, ...base })),
    );
  fc.assert(
    fc.property(fc.array(fc.oneof(event, garbage), { maxLength: 20 }), (lines) => {
      for (const agent of adapters.keys()) assert.equal(read(agent, lines, cleanExit).verdict.ok, false);
    }),
    { numRuns: count({ quick: 100, full: 5000 }) },
  );
});

const silent: readonly (readonly [
  string,
  { code: number | null; signal: string | null; errorText: string },
  string,
])[] = [
  ["", { code: 0, signal: null, errorText: "" }, "claude exited without an answer (exit code 0) and printed nothing."],
  [
    "half {\n",
    { code: 0, signal: null, errorText: "" },
    "claude exited without an answer (exit code 0). End of stdout: half {.",
  ],
  [
    "",
    { code: 1, signal: null, errorText: "\u001B[31mInvalid key.\u001B[0m\n  Log in!\n" },
    "claude exited without an answer (exit code 1). End of stderr: Invalid key. Log in!",
  ],
  [
    "",
    { code: null, signal: "SIGKILL", errorText: "" },
    "claude exited without an answer (killed by SIGKILL) and printed nothing.",
  ],
  [
    "Do you trust this folder? [y/N]",
    { code: 1, signal: null, errorText: "" },
    "claude exited without an answer (exit code 1). End of stdout: Do you trust this folder? [y/N]. It seems to have asked for input, which it can't get here.",
  ],
];

test("a CLI that says nothing is described by its end [T8]", () => {
  for (const [output, exit, error] of silent) {
    assert.deepEqual(read("claude", output.split("\n"), exit).verdict, { ok: false, error });
  }
});

test("what opencode and codex say after their end takes it back, and opencode's after a call is none [T8]", () => {
  const dones = (agent: string, lines: readonly string[]): boolean[] =>
    read(agent, lines, cleanExit).news.flatMap((each) => each.isDone ?? []);
  const [start, stop] = ['{"type":"step_start"}', '{"type":"step_finish","part":{"reason":"stop"}}'];
  assert.deepEqual(dones("opencode", [start, stop, start]), [true, false]);
  assert.deepEqual(dones("opencode", [start, stop, start, stop, stop]), [true, false, true]);
  const call = '{"type":"tool_use","part":{"tool":"read"}}';
  assert.deepEqual(dones("opencode", [start, call, stop]), []);
  assert.deepEqual(dones("opencode", [start, call, stop, start, stop]), [true]);
  const [turn, end] = ['{"type":"turn.started"}', '{"type":"turn.completed"}'];
  assert.deepEqual(dones("codex", [turn, end, turn, end]), [true, false, true]);
});

test('claude\'s "success" with an error in it is none [T8]', () => {
  const lie = '{"result":"Credit balance is too low","is_error":true,"subtype":"success","type":"result"}';
  const error = "claude failed: Credit balance is too low.";
  assert.deepEqual(read("claude", [lie], cleanExit).verdict, { ok: false, error });
  const turns = '{"type":"result","subtype":"error_max_turns","is_error":false}';
  assert.deepEqual(read("claude", [turns], cleanExit).verdict, { ok: false, error: "claude failed: error max turns." });
});

test("codex's warnings are no failure, and an error that it gets over is none either [T8]", () => {
  const lines = [
    '{"type":"item.completed","item":{"id":"a","type":"error","message":"Model metadata not found"}}',
    '{"type":"error","message":"Reconnecting... 1/5"}',
    '{"item":{"text":"Done.","type":"agent_message","id":"b"},"type":"item.completed"}',
    '{"type":"turn.completed","usage":{}}',
  ];
  assert.deepEqual(read("codex", lines, { ...cleanExit, code: 1 }).verdict, { ok: true, text: "Done." });
});

test("pi's answer after a retry counts, not the failure before it [T8]", () => {
  const failed =
    '{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"500"}}';
  const again = '{"type":"auto_retry_start","attempt":1,"errorMessage":"500"}';
  const text = '[{"type":"text","text":"Done."}]';
  const answer = `{"type":"message_end","message":{"role":"assistant","content":${text},"stopReason":"stop"}}`;
  assert.deepEqual(read("pi", [failed, again, answer], cleanExit).verdict, { ok: true, text: "Done." });
  assert.deepEqual(read("pi", [failed, again], cleanExit).verdict, { ok: false, error: "pi failed: 500." });
});

test("a progress is one short line [T7]", () => {
  const event = {
    type: "assistant",
    message: { content: [{ type: "text", text: `\u001B[1mone\n\ntwo\t${"x".repeat(999)}` }] },
  };
  const [news] = read("claude", [JSON.stringify(event)], cleanExit).news;
  assert.equal(news!.progress, `one two ${"x".repeat(192)}…`);
});

test("an answer without an end stays in bounded memory [T8]", () => {
  const reader = adapters.get("gemini")!.openReader();
  const line = JSON.stringify({ type: "message", role: "assistant", delta: true, content: "x".repeat(2 ** 20) });
  for (let at = 0; at < 20; at++) reader.line(line);
  assert.ok(reader.partial().length < 2 ** 22 + 100);
  assert.match(reader.partial(), /x… \[16777216 characters cut\]$/);
});

const garbage = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.json(),
  fc.constantFrom("{", "}", "[]", "null", '{"type":"result"}', '{"type":null}', "\u0000", "Loaded cached credentials."),
);

/** The text with line breaks at the places, and garbage as lines between. */
function mix(text: string, places: readonly number[], between: readonly string[]): string[] {
  let cut = text;
  for (const place of places.toSorted((a, b) => b - a)) cut = `${cut.slice(0, place)}\n${cut.slice(place)}`;
  const lines = cut.split("\n");
  for (const [at, line] of between.entries()) lines.splice((at * 7) % (lines.length + 1), 0, line);
  return lines;
}

function linesOf(agent: Recorded, end: "success" | "failure"): string[] {
  const file = new URL(`../../fixtures/agents/${agent}-${end}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8").trimEnd().split("\n");
}

interface Reading {
  readonly verdict: AgentVerdict;
  readonly news: readonly ReaderNews[];
  readonly partial: string;
}

function read(agent: string, lines: readonly string[], exit: typeof cleanExit | (typeof silent)[number][1]): Reading {
  const reader = adapters.get(agent)!.openReader();
  const news = lines.flatMap((line) => reader.line(line) ?? []);
  return { verdict: reader.end(exit), news, partial: reader.partial() };
}
