import assert from "node:assert/strict";
import { test } from "node:test";
import { createRunRenderer, type RunRenderer } from "../../../src/cli/output/run-renderer.ts";
import { openScreen } from "../../../src/cli/output/screen.ts";
import { displayWidth } from "../../../src/cli/terminal/terminal-text.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { agent, begin, ended, fixTests, runtime, settled, type Step } from "./output-events.ts";
import { createScreenModel, type ScreenModel } from "./output-screen-model.ts";

interface Stage {
  readonly model: ScreenModel;
  readonly renderer: RunRenderer;
  readonly play: (steps: readonly Step[], afterwardsMs?: number) => string[];
}

function stage(options: { columns?: number; rows?: number; bell?: boolean; isTTY?: boolean } = {}): Stage {
  const clock = createManualClock();
  const model = createScreenModel(options.columns ?? 61, options.rows ?? 20);
  const stream = options.isTTY === false ? Object.assign(model, { isTTY: false }) : model;
  const screen = openScreen({ stream, clock, termName: "xterm" });
  const renderer = createRunRenderer({
    screen,
    terminal: { styleError: (_, text) => text },
    clock,
    mode: () => "ask",
    ...(options.bell === undefined ? {} : { bell: options.bell }),
  });
  return {
    model,
    renderer,
    play(steps, afterwardsMs = 100) {
      for (const step of steps) {
        clock.advance(step.afterMs);
        if ("agent" in step) renderer.agent(step.agent);
        else renderer.runtime(step.runtime);
      }
      clock.advance(afterwardsMs);
      // Which picture of the spinner it is does not matter.
      return model.lines().map((line) => line.replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "*"));
    },
  };
}

test("a run as a person sees it: thinking, parallel calls in place, results, a diff, the answer [L2]", () => {
  const { model, play } = stage();
  assert.deepEqual(play(fixTests.thinking), ["* thinking… 3 s · to see the tests pass.", "script/demo · ask · 5 s"]);
  assert.deepEqual(play(fixTests.reading), [
    "thought for 3 s",
    "",
    "I look at both files first.",
    "* read src/a.ts",
    "* bash npm test",
    "  running 3 tests",
    "script/demo · 12.3k/100k (12%) · $0.0100 · ask · 5 s",
  ]);
  assert.deepEqual(play(fixTests.settling.slice(0, 1)).slice(2), [
    "I look at both files first.",
    "",
    "✓ read src/a.ts · 120 lines · 12 ms · early",
    "* bash npm test · 3 s",
    "  running 3 tests",
    "script/demo · 12.3k/100k (12%) · $0.0100 · ask · 8 s",
  ]);
  assert.deepEqual(play([...fixTests.settling.slice(1), ...fixTests.editing]).slice(4), [
    "✓ read src/a.ts · 120 lines · 12 ms · early",
    "✗ bash npm test · exit 1 · 3.2 s",
    "  1 failed",
    "  Look at the output.",
    "✓ edit src/a.ts · +1 −1 · 12 ms",
    "  @@ -1 +1 @@",
    "  -old",
    "  +new",
    "",
    "Done: `src/a.ts` is fixed.",
    "",
    "evidence: 1 of 2 · no call shows npm run lint",
    "2 turns · 3 calls, 1 failed · 12.3k tokens in (50% cached),",
    "560 out · $0.0234 · 14 s",
  ]);
  assert.equal(model.bells, 1);
  assert.equal(model.cursor.column, 0);
});

test("whatever the size of the terminal, no row is wider and nothing of the changing rows stays [L2]", () => {
  const all = Object.values(fixTests).flat();
  for (const columns of [12, 20, 33, 61, 200]) {
    for (const rows of [4, 8, 30]) {
      const { model, play, renderer } = stage({ columns, rows });
      play(all);
      renderer.end();
      renderer.screen.close();
      const text = model.lines().join("\n");
      assert.doesNotMatch(text, /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|script\/demo/);
      for (const line of model.lines()) assert.ok(displayWidth(line) <= columns);
      assert.equal(model.lines().filter((line) => line.startsWith("✓") || line.startsWith("✗")).length, 3);
      // Whatever gives way, the name of a call stays.
      for (const line of model.lines()) if (/^[✓✗] /u.test(line)) assert.match(line, /^[✓✗] (?:read|bash|edit)\b/u);
    }
  }
});

test("without a terminal every line comes once, without escape sequences [L2]", () => {
  const { model, play } = stage({ isTTY: false });
  play(Object.values(fixTests).flat());
  const written = model.writes.join("");
  assert.equal(written.includes("\u001b"), false);
  assert.equal(written.match(/bash npm test/g)?.length, 1);
  assert.equal(written.match(/I look at both files first/g)?.length, 1);
  assert.equal(model.bells, 0);
});

test("how calls end is told in words, with the error and what to do about it [L2]", () => {
  const add = agent("call:added", {
    callId: "c1",
    executionId: "x1",
    tool: "bash",
    title: "rm -rf build",
    input: {},
    isEarly: false,
  });
  const bash = { tool: "bash", output: "", outputBytes: 0, durationMs: null } as const;
  const cases: readonly (readonly [Parameters<typeof settled>[0], readonly string[]])[] = [
    [{ ...bash, durationMs: 5 }, ["✓ bash rm -rf build · no output · 5 ms"]],
    [
      { ...bash, state: "failed", errorType: "denied", error: "A rule refuses it." },
      ["■ bash rm -rf build · refused", "  A rule refuses it."],
    ],
    [
      { ...bash, state: "cancelled", errorType: "cancelled", error: "Cancelled by Ctrl-C", durationMs: 900 },
      ["■ bash rm -rf build · cancelled · 900 ms", "  Cancelled by Ctrl-C"],
    ],
    [
      { ...bash, state: "timeout", errorType: "timeout", error: "It took longer than 2 s", durationMs: 2000 },
      ["■ bash rm -rf build · timed out · 2 s", "  It took longer than 2 s"],
    ],
    [
      { ...bash, state: "failed", errorType: "not_found", error: "No such\nfile\u001b[2J", hint: "Look with glob." },
      ["✗ bash rm -rf build · not found", "  No such file␛[2J", "  Look with glob."],
    ],
  ];
  for (const [changes, expected] of cases) {
    const { play } = stage();
    assert.deepEqual(play([...begin, add, settled(changes), ended()]).slice(0, expected.length), expected);
  }
});

test("200 calls at once do not fill the screen [L2]", () => {
  const { play } = stage({ rows: 10 });
  const added = Array.from({ length: 200 }, (_, index) =>
    agent("call:added", {
      callId: `c${index}`,
      executionId: `x${index}`,
      tool: "read",
      title: `${index}.ts`,
      input: {},
      isEarly: false,
    }),
  );
  assert.deepEqual(play([...begin, ...added]), [
    ...Array.from({ length: 6 }, (_, index) => `* read ${index}.ts`),
    "  … 194 more",
    "script/demo · ask",
  ]);
});

test("a long diff is cut and says how much more there is [L2]", () => {
  const diff = `--- a/x\n+++ b/x\n@@ -1,50 +1,50 @@\n${Array.from({ length: 50 }, (_, index) => `+line ${index}`).join("\n")}\n`;
  const { play } = stage({ rows: 60 });
  const lines = play([...begin, settled({ tool: "write", diff }), ended()]);
  assert.equal(lines[0], "✓ write · +50 −0 · 12 ms");
  assert.equal(lines[20], "  +line 18");
  assert.equal(lines[21], "  … 31 more");
});

test("a reply that is cut off is marked, and the wait for the next attempt counts down [L2]", () => {
  const { play } = stage();
  const failure = { kind: "overloaded", message: "The model is overloaded." } as const;
  const lines = play(
    [
      ...begin,
      agent("reply:text", { text: "It begins" }, 100),
      agent("call:announced", { callId: "c9", tool: "read" }, 100),
      agent("reply:discarded", failure),
      agent("model:retrying", { attempt: 1, maxAttempts: 5, delayMs: 8000, message: failure.message }),
    ],
    3100,
  );
  assert.deepEqual(lines, [
    "It begins",
    "",
    "— cut off, trying again",
    "The model is overloaded. Trying again in 8 s (2 of 5).",
    "* Trying again in 5 s (2 of 5).",
    "script/demo · ask · 3 s",
  ]);
  assert.deepEqual(play([], 6000).slice(-2), ["* thinking… 1 s", "script/demo · ask · 9 s"]);
  const failed = play([
    ended({ state: "failed", reason: "The model is overloaded. (5 attempts)", failureKind: "overloaded" }),
  ]);
  assert.equal(failed[4], "The model is overloaded. (5 attempts)");
});

test("what happens beside the reply is one quiet line each [D5]", () => {
  const { play } = stage({ columns: 100 });
  const offered = { offered: 12, total: 90, tokens: 2000, allTokens: 16_000, savedPercent: 87.4 };
  const evidence = { answerId: "a1", claims: 2, matched: 2, unmatched: [], text: "evidence: 2 of 2\u001b[2J" };
  assert.deepEqual(
    play([
      ...begin,
      agent("tools:offered", { ...offered, savedPercent: 0 }),
      agent("tools:offered", offered),
      agent("tools:offered", offered),
      agent("notice:told", { level: "warning", text: "The context is full.\u0007" }),
      agent("context:compacted", { tokensBefore: 98_000, tokensAfter: 12_000, messages: 40, pins: 3 }),
      agent("evidence:checked", { ...evidence, claims: 0, matched: 0, text: "nothing to say" }),
      agent("evidence:checked", evidence),
    ]).slice(0, -2),
    [
      "[tool-schema-opt] saved=87%",
      "The context is full.␇",
      "compacted: 98k → 12k tokens, 40 messages summarised, 3 facts pinned",
      "evidence: 2 of 2␛[2J",
    ],
  );
});

test("it rings when it waits for the person, unless that is switched off [L2]", () => {
  const asking = [
    ...begin,
    runtime("approval:asked", { id: "x1", toolId: "bash", title: "rm", isDanger: true }),
    runtime("execution:started", {
      id: "x2",
      toolName: "ask_user",
      toolId: "ask_user",
      toolInput: {},
      version: "builtin",
      route: "stable",
      attempt: 1,
      timeoutMs: 1,
    }),
  ];
  for (const [bell, expected] of [
    [true, 2],
    [false, 0],
  ] as const) {
    const { model, play } = stage({ bell });
    play(asking);
    assert.equal(model.bells, expected);
  }
});

test("the last output unfolds whole, without what a terminal would obey [G9]", async () => {
  const { play, renderer } = stage();
  play([...begin, settled({ output: "cut" }), ended()]);
  await renderer.unfold((id) => Promise.resolve(`all of ${id}\n\u001b[31mred\u001b[0m\u001b]0;title\u0007\n`));
  assert.deepEqual(play([]).slice(-3), ["read · x1", "all of x1", "red"]);
});

test("the last line counts what was refused apart from what failed, run by run [L2]", () => {
  const { play } = stage({ columns: 100 });
  const refused = { errorType: "denied", error: "The person said no." };
  const first = play([
    ...begin,
    settled({ callId: "c1", state: "cancelled", ...refused }),
    settled({ callId: "c2", state: "failed", ...refused }),
    settled({ callId: "c3" }),
    ended(),
  ]);
  assert.match(first.at(-1)!, /^2 turns · 3 calls, 2 refused · /);
  assert.match(play([...begin, settled({}), ended()]).at(-1)!, /^2 turns · 3 calls, 1 failed · /);
});

test("a run that its limit stopped says how to go on [L1]", () => {
  const { play } = stage();
  const shown = play([...begin, ended({ state: "max_turns", reason: "Stopped after 1 turn." })]);
  assert.deepEqual(shown.slice(0, 2), ["Stopped after 1 turn.", "Say “go on” to continue."]);
});

test("a call that waits for what is tried on a new version of its tool says so, until it runs [V10]", () => {
  const { play } = stage({ columns: 80 });
  const added = { callId: "c1", executionId: "x1", tool: "shout", title: "", input: {}, isEarly: false };
  const replaying = { tool: "shout", version: "shout@9ab01c22aa01", rolloutId: "roll_1", tried: 3, cases: 20 };
  const other = { ...added, callId: "c2", executionId: "x2", tool: "read" };
  const steps = [agent("call:added", added), agent("call:added", other), runtime("rollout:replaying", replaying)];
  const rows = play([...begin, ...steps]);
  assert.deepEqual(rows.slice(-4, -1), [
    "* shout",
    "  shout@9ab01c22aa01 is tried with recorded calls before anybody gets it: 3 of…",
    "* read",
  ]);
  const started = {
    id: "x1",
    toolName: "shout",
    toolId: "shout",
    toolInput: {},
    version: "shout@1",
    route: "stable",
    attempt: 1,
    timeoutMs: 1000,
  } as const;
  assert.deepEqual(play([runtime("execution:started", started)]).slice(-3, -1), ["* shout", "* read"]);
});

test("where nothing can be drawn in place the beginning of a replay is told, once [V10]", () => {
  const { play } = stage({ columns: 120, isTTY: false });
  const replaying = { tool: "shout", version: "shout@9ab01c22aa01", rolloutId: "roll_1", cases: 20 };
  const steps = [0, 1, 2].map((tried) => runtime("rollout:replaying", { ...replaying, tried }));
  assert.deepEqual(play([...begin, ...steps]).filter(Boolean), [
    "shout@9ab01c22aa01 is tried with 20 recorded calls before anybody gets it; this waits for that.",
  ]);
});
