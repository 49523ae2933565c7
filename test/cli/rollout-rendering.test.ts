import assert from "node:assert/strict";
import { test } from "node:test";
import { describeOrder } from "../../src/cli/commands/rollout/rollout-order-commands.ts";
import {
  describeExplanation,
  formatProbability,
  formatShare,
} from "../../src/cli/commands/rollout/describe-rollout.ts";
import { describeChange } from "../../src/cli/commands/rollout/rollout-explain-command.ts";
import { renderHistory } from "../../src/cli/commands/rollout/rollout-history-command.ts";
import { remarkOn, renderRollouts } from "../../src/cli/commands/rollout/rollout-status-command.ts";
import { explanationToWire, viewToWire } from "../../src/tool-files/rollout/service/rollout-documents.ts";
import { wrapLines } from "../../src/cli/terminal/terminal-text.ts";
import type { RolloutEvent } from "../../src/core/stores.ts";
import type { RolloutView } from "../../src/tool-files/rollout/service/rollouts.ts";
import { now, explanationOf, quiet, running } from "./rollout-views.ts";

const style = (_style: unknown, text: string): string => text;
const onTerminal = { env: { LANG: "en_US.UTF-8" }, width: 80, style };
const inPipe = { env: { LANG: "en_US.UTF-8" }, width: undefined, style };

test("status is a table of 80 columns with the stages and the whole sentence [V11]", () => {
  assert.equal(
    renderRollouts([running, quiet], onTerminal),
    `\
TOOL        STABLE        CANARY        SHARE  STATUS
echo_tool   1e2e3457390a  9ab01c22aa01   30 %  running
  10 ▸ [30] ▸ 60 ▸ 100 | held: 45 of 70 canary calls, 1 failed (stable 1.0 % at
  the same time); about 2 days more
word_count  77aa0c1d2e3f  -                 -  stable
  nothing is tried
`,
  );
});

test("in a pipe each tool is one line, in plain characters [V11]", () => {
  assert.equal(
    renderRollouts([running, quiet], inPipe),
    `\
TOOL        STABLE        CANARY        SHARE  STATUS   WHY
echo_tool   1e2e3457390a  9ab01c22aa01   30 %  running  10 > [30] > 60 > 100 | held: 45 of 70 canary calls, 1 failed (stable 1.0 % at the same time); about 2 days more
word_count  77aa0c1d2e3f  -                 -  stable   nothing is tried
`,
  );
  const ascii = renderRollouts([running], { ...onTerminal, env: { LANG: "C" } });
  assert.match(ascii, /10 > \[30\] > 60 > 100/);
});

test("short sentences stand beside their rows, and a long name does not push the table over the edge", () => {
  const short = { ...running, reason: "no canary call yet", stages: [50, 100], percent: 50 };
  const text = renderRollouts([short], { ...onTerminal, width: 100 });
  assert.match(text, /^TOOL .* WHY\necho_tool .* running {2}\[50\] ▸ 100 \| no canary call yet\n$/);
  const long = renderRollouts([{ ...running, tool: "x".repeat(64), awaitsApproval: true }], onTerminal);
  for (const line of long.split("\n")) assert.ok(line.length <= 80, line);
});

for (const [word, part] of [
  ["running", {}],
  ["held", { isHeld: true }],
  ["waits for you", { awaitsApproval: true }],
  ["replaying", { status: "replaying", percent: 0 }],
  ["blocked", { status: "blocked", percent: 0 }],
  ["rolled back", { status: "rolled_back", percent: 0 }],
  ["pinned", { status: "rolled_back", percent: 0, isPinned: true }],
] as const) {
  test(`status says "${word}", and only what gets a share or is about to shows its stages`, () => {
    const text = renderRollouts([{ ...running, ...part }], inPipe);
    assert.match(text, new RegExp(` %  ${word} +`));
    assert.equal(text.includes("10 > "), !["blocked", "rolled back", "pinned"].includes(word));
  });
}

test("the part that is held back shows between the stages", () => {
  assert.match(renderRollouts([{ ...running, percent: 95 }], inPipe), /10 > 30 > 60 > \[95\] > 100 \|/);
});

test("where nothing is tried, status says what to do", () => {
  assert.match(remarkOn([]) ?? "", /^No tool file is being tried: there is none here\. `deckhand tools new NAME`/);
  assert.match(remarkOn([{ ...quiet, mode: "off" }]) ?? "", /^No tool file .*"rollout": \{"mode": "canary"\}/);
  assert.match(remarkOn([quiet]) ?? "", /^No tool file is being tried\. Change one/);
  assert.equal(remarkOn([quiet, running]), undefined);
});

test("a view as JSON", () => {
  assert.deepEqual(viewToWire(running), {
    tool: "echo_tool",
    file: "tools/echo_tool.ts",
    mode: "canary",
    stable: "echo_tool@1e2e3457390a",
    stable_since: "2026-11-03T12:00:00.000Z",
    canary: "echo_tool@9ab01c22aa01",
    percent: 30,
    stages: [10, 30, 60, 100],
    status: "running",
    is_held: false,
    is_pinned: false,
    awaits_approval: false,
    reason: "held: 45 of 70 canary calls, 1 failed (stable 1.0 % at the same time); about 2 days more",
    started_at: "2026-11-13T12:00:00.000Z",
  });
});

test("explain says the sentence first, then both arms, what is missing, and what a person can do [V11]", () => {
  const text = wrapLines(describeExplanation(explanationOf(), { now, arrow: "▸" }), 80);
  assert.equal(
    text,
    `\
echo_tool: held: 45 of 280 canary calls, 1 failed (stable 1.2 % at the same
time); about 10 days more

  file      tools/echo_tool.ts
  stable    echo_tool@1e2e3457390a, for 12 d
  canary    echo_tool@9ab01c22aa01, for 2 d, changed during a call or task
  share     30 % of the conversations: 10 ▸ [30] ▸ 60 ▸ 100
  risk      low

LIVE CALLS             STABLE     CANARY
since it began            260         45
  failed            3 (1.2 %)  1 (2.2 %)
  of them timeouts          0          0
last 100 calls            100         45
  errors                  1 %      2.2 %
  timeouts                0 %        0 %
  p50                   12 ms      12 ms
  p95                   28 ms      28 ms
  p99                   1.2 s      1.2 s
  retries                 0 %        0 %

Worse than stable: 78 % probable. Too bad for everybody: 41 % probable.
Slower than stable's p95: 0 % of its calls, where 5 % is usual; slower than the
limit allows: 0 %.
Still missing: 235 canary calls, about 10 d 5 h.

Kinds of input that fail more often on the canary, of the last 100 calls:
  mode=loud: 11 % of 9 failed, on stable 0 % of 31

Replay: 20 of 20 cases passed on it.

What you can do:
  deckhand rollout promote echo_tool          take the next stage now
  deckhand rollout promote echo_tool --all    give it to everybody now
  deckhand rollout hold echo_tool             stay at 30 %
  deckhand rollout rollback echo_tool         stable for everybody again
  deckhand rollout rollback echo_tool --hard  the same, and pin stable
`,
  );
});

test("explain shows what the canary changes before what a person can do: bounded, in colours, and harmless [V11 G9]", () => {
  const style = (name: unknown, text: string): string => `<${String(name)}>${text}`;
  const diff = `--- a/tools/x.ts\n+++ b/tools/x.ts\n@@ -1 +1 @@\n-old\n+new \u001b[2J\n ${"x".repeat(1000)}\n`;
  const change = describeChange(diff, style);
  assert.deepEqual(change.slice(0, 7), [
    "What it changes of stable:",
    "",
    "<bold>--- a/tools/x.ts",
    "<bold>+++ b/tools/x.ts",
    "<cyan>@@ -1 +1 @@",
    "<red>-old",
    "<green>+new ␛[2J",
  ]);
  assert.equal(change[7]?.length, 400);
  const text = describeExplanation(explanationOf(), {
    now,
    arrow: ">",
    change: ["CHANGE"],
    show: (each) => `(${each})`,
  });
  assert.match(text, /\(Replay: [^)]*\)\n\nCHANGE\n\n\(What you can do:/);
  assert.deepEqual(describeChange("", style), [
    "The file itself is the same as that of stable: what it imports is another.",
  ]);
});

test("explain shows calls that passed and now fail, with their input", () => {
  const played = explanationOf({ ...running, status: "blocked", percent: 0 });
  const flips = [{ name: "call_1a60", input: { text: "a\nb" }, error: "TypeError:\n  no such thing" }];
  const replay = { cases: 3, passed: 2, flips, skipped: "2 recorded calls have secrets in them" };
  const rollout = { ...played.release.rollout!, status: "blocked", replay } as const;
  const text = describeExplanation({ ...played, release: { ...played.release, rollout } }, { now, arrow: ">" });
  assert.ok(
    text.includes(`\
Replay: 2 of 3 cases passed on it.
2 recorded calls have secrets in them
Passed before, and fail now:
  call_1a60  {"text":"a\\nb"}
    TypeError: no such thing
`),
    text,
  );
  assert.match(text, /rollout promote echo_tool --all +give it to everybody now\n/);
});

test("explain of a tool of which nothing is tried says how to go back", () => {
  const played = explanationOf();
  const view = { ...quiet, tool: "echo_tool", stable: running.stable };
  const release = { ...played.release, rollout: null };
  const lanes = { live: null, scheduled: null };
  const text = describeExplanation({ view, release, lanes, figures: [] }, { now, arrow: ">" });
  assert.equal(
    text,
    `\
echo_tool: nothing is tried

  file      tools/word_count.py
  stable    echo_tool@1e2e3457390a, for 12 d

What you can do:
  deckhand rollout rollback echo_tool  go back to 0d0d0d0d0d0d, which was stable before
`,
  );
});

test("explain offers no version that was rolled back, and the way back for what the file has", () => {
  const played = explanationOf(running);
  const view = { ...running, canary: null, percent: 0, stages: [], status: "none", startedAt: now } as const;
  const entry = { at: now, who: "kim", by: "person", reason: "slow", kind: "soft" } as const;
  const [before] = played.release.earlier;
  const release = { ...played.release, rollout: null, fileHash: before!.hash, out: { [before!.hash]: entry } };
  const lanes = { live: null, scheduled: null };
  const text = describeExplanation(
    { view: { ...view, stableSince: now }, release, lanes, figures: [] },
    { now, arrow: ">" },
  );
  assert.match(text, /^ {2}stable {4}echo_tool@1e2e3457390a, since just now$/m);
  assert.ok(
    text.endsWith(`\
What you can do:
  deckhand rollout resume echo_tool  look at what the file has as if it were new
`),
    text,
  );
});

test("explain does not count what was not replayed", () => {
  const played = explanationOf(running);
  const replay = { cases: 0, passed: 0, flips: [], skipped: "Recorded calls were not tried: the tool changes things." };
  const release = { ...played.release, rollout: { ...played.release.rollout!, replay } };
  const text = describeExplanation({ ...played, release }, { now, arrow: ">" });
  assert.match(text, /^Replay: nothing was tried on it\.\nRecorded calls were not tried: the tool changes things\.$/m);
});

test("explain tells whom it failed, who pinned, and what stays out", () => {
  const played = explanationOf({ ...running, status: "rolled_back", percent: 0, isPinned: true });
  const said = { at: now, who: null, by: "rule", reason: "1 fatal error" } as const;
  const out = { "9ab01c22aa01ffffffff": { ...said, kind: "hard" } } as const;
  const harm = {
    harmed: 1,
    saved: 2,
    calls: [{ executionId: "call_1a60", conversationId: null, error: "it\nbroke" }],
  };
  const release = { ...played.release, pinned: said, out };
  const text = describeExplanation({ ...played, release, harm }, { now, arrow: ">" });
  assert.match(text, /^ {2}pinned {4}by the rule: 1 fatal error$/m);
  assert.match(text, /^ {2}out {7}9ab01c22aa01, by the rule: 1 fatal error$/m);
  assert.ok(
    text.includes(`\
Failed calls of it that reached whoever had asked: 1; that stable answered instead: 2.
  call_1a60  it broke
`),
    text,
  );
  assert.match(text, /rollout resume echo_tool +try it again from the first stage\n/);
});

test("an explanation as JSON has its times as text and the tool's input as it is [V11]", () => {
  const wire = JSON.parse(JSON.stringify(explanationToWire(explanationOf()))) as {
    release: Record<string, unknown>;
    lanes: { live: Record<string, unknown>; scheduled: unknown };
    figures: Record<string, unknown>[];
  };
  assert.deepEqual(Object.keys(wire), ["view", "release", "lanes", "figures"]);
  assert.deepEqual(wire.release["stable"], {
    hash: "1e2e3457390a",
    since: "2026-11-03T12:00:00.000Z",
    origin: "person",
  });
  assert.deepEqual(wire.release["earlier"], [
    { hash: "0d0d0d0d0d0d", since: "2026-10-06T12:00:00.000Z", until: "2026-11-03T12:00:00.000Z", origin: "person" },
  ]);
  assert.equal(wire.lanes.live["verdict"], "hold");
  assert.deepEqual(wire.lanes.live["missing"], { canary_calls: 235, milliseconds: 882_782_609 });
  assert.equal(wire.lanes.scheduled, null);
  assert.deepEqual(wire.figures[1]?.["last_calls"], {
    calls: 45,
    error_rate: 1 / 45,
    timeout_rate: 0,
    p50: 12.4,
    p95: 28.1,
    p99: 1204,
    retry_rate: 0,
    format_pass_rate: null,
    follow_up_rate: null,
    correction_rate: null,
  });
});

const events: RolloutEvent[] = [
  {
    id: 3,
    at: now,
    tool: "echo_tool",
    version: "echo_tool@9ab01c22aa01",
    rolloutId: "roll_1",
    type: "rolled_back",
    by: "rule",
    who: null,
    reason: "rolled back: 14 canary calls, 4 failed (stable 1.0 % at the same time); worse with 99.8 % probability",
    figures: null,
  },
  {
    id: 2,
    at: now - 60_000,
    tool: "echo_tool",
    version: "echo_tool@9ab01c22aa01",
    rolloutId: "roll_1",
    type: "approval_needed",
    by: "person",
    who: "ada",
    reason: "look first",
    figures: null,
  },
];

test("history is newest first: when, which version, what, who and why [V11]", () => {
  assert.equal(
    renderHistory(events, onTerminal),
    `\
NO  TIME (UTC)        TOOL       VERSION       WHAT             WHO
 3  2026-11-15 12:00  echo_tool  9ab01c22aa01  rolled back      rule
  rolled back: 14 canary calls, 4 failed (stable 1.0 % at the same time); worse
  with 99.8 % probability
 2  2026-11-15 11:59  echo_tool  9ab01c22aa01  approval needed  ada
  look first
`,
  );
});

test("what others wrote can't steer the terminal, wherever it is shown [G9]", () => {
  const evil = "\u001b[2Jgone\u202e\nnext";
  const view = { ...running, tool: "echo_tool", reason: evil };
  for (const text of [
    renderRollouts([view], onTerminal),
    renderRollouts([view], inPipe),
    renderHistory([{ ...events[0]!, reason: evil, who: evil, by: "person" }], onTerminal),
  ]) {
    // oxlint-disable-next-line no-control-regex -- that none is there is what this is about
    assert.doesNotMatch(text, /[\u001b\u202e]/);
    assert.match(text, /gone/);
  }
});

const change = (part: Partial<RolloutView>): RolloutView => ({ ...running, ...part });
const gone = change({ status: "rolled_back", percent: 0, isPinned: false });
for (const [what, sentence] of [
  [
    describeOrder("promote", change({ percent: 10 }), running),
    "echo_tool: 30 % of the conversations get echo_tool@9ab01c22aa01 now, 10 % did before.",
  ],
  [
    describeOrder("promote", running, change({ status: "none", canary: null, stable: running.canary!, percent: 0 })),
    "echo_tool: everybody gets echo_tool@9ab01c22aa01 now.",
  ],
  [describeOrder("promote", running, change({ reason: "held: as told" })), "echo_tool: held: as told"],
  [
    describeOrder("hold", running, change({ isHeld: true })),
    "echo_tool: echo_tool@9ab01c22aa01 stays at 30 % until you resume it; what is bad is still rolled back.",
  ],
  [describeOrder("resume", change({ isHeld: true }), running), "echo_tool: echo_tool@9ab01c22aa01 goes on from 30 %."],
  [
    describeOrder("resume", gone, change({ percent: 10 })),
    "echo_tool: echo_tool@9ab01c22aa01 begins again with 10 % of the conversations.",
  ],
  [
    describeOrder("resume", gone, { ...gone, reason: "Rolled back before anybody got it: 1 of 3 fails: no voice" }),
    "echo_tool: echo_tool@9ab01c22aa01 was tried once more, and again rolled back before anybody got it: 1 of 3 fails: no voice. Correct the file, or `deckhand rollout promote echo_tool --all` gives it to everybody as it is.",
  ],
  [describeOrder("resume", { ...quiet, isPinned: true }, quiet), "word_count: other contents get out again."],
  [
    describeOrder("resume", quiet, quiet),
    "word_count: what was rolled back may be used again; the next use of the tool looks at what its file has now.",
  ],
  [
    describeOrder("rollback", running, gone),
    "echo_tool: everybody gets echo_tool@1e2e3457390a from the next call on; echo_tool@9ab01c22aa01 stays out until you resume it.",
  ],
  [
    describeOrder("rollback", gone, change({ ...gone, isPinned: true })),
    "echo_tool: everybody gets echo_tool@1e2e3457390a from the next call on; echo_tool@9ab01c22aa01 is disabled, and no other content gets out before `deckhand rollout resume echo_tool`.",
  ],
  [
    describeOrder("rollback", quiet, { ...quiet, stable: "word_count@000000000000", isPinned: true }),
    "word_count: everybody gets word_count@000000000000 from the next call on; word_count@77aa0c1d2e3f is disabled, and no other content gets out before `deckhand rollout resume word_count`.",
  ],
] as const) {
  test(`an order is told in one sentence: ${sentence.slice(0, 60)}`, () => assert.equal(what, sentence));
}

test("of a version that was rolled back nothing is said to be missing, or to be held [V11]", () => {
  const played = explanationOf();
  const asked = { ...played, view: { ...played.view, reason: "A person promoted it." } };
  assert.match(
    describeExplanation(asked, { now, arrow: ">" }),
    /^Asked now: held: .*[\s\S]*^Still missing: 235 canary calls/m,
  );
  const back = { ...played, view: { ...played.view, status: "rolled_back", reason: "no" } } as const;
  const text = describeExplanation(back, { now, arrow: ">" });
  assert.doesNotMatch(text, /Asked now|Still missing|held/);
  assert.match(text, /^Worse than stable: 78 % probable/m);
});

test("what people corrected is counted for both versions, by the way they did it [V4]", () => {
  const none = { undo: 0, feedback: 0 };
  const render = (canary: typeof none, stable: typeof none): string =>
    describeExplanation({ ...explanationOf(), corrections: { canary, stable } }, { now, arrow: ">" });
  assert.match(
    render({ undo: 2, feedback: 1 }, none),
    /^Corrections by users: 3 \(2 \/undo, 1 feedback\) of the canary, 0 of stable\.$/m,
  );
  assert.doesNotMatch(render(none, none), /Corrections/);
});

test("almost all is not all, and almost certain is not certain", () => {
  assert.deepEqual([1, 0.9985, 0.995, 0.99, 0.5].map(formatShare), ["100 %", "99.8 %", "99.5 %", "99 %", "50 %"]);
  assert.deepEqual([0.9995, 0.9985, 0.5].map(formatProbability), ["more than 99.9 %", "99.8 %", "50 %"]);
});
