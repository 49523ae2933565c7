import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dialog } from "../../../src/cli/repl/input/dialog-host.ts";
import { createQuestionDialog } from "../../../src/cli/repl/input/question-panel.ts";
import { createApprovalDialog } from "../../../src/cli/repl/open-person.ts";
import { displayWidth } from "../../../src/cli/terminal/terminal-text.ts";
import type { Answer, ApprovalAnswer, ApprovalRequest, Question } from "../../../src/core/approval.ts";
import { keysOf } from "./press.ts";

const size = { columns: 60, rows: 20 };

function parts(shown: string[] = []): Parameters<typeof createQuestionDialog>[1] {
  return { terminal: { show: (text) => void shown.push(text), styleError: (_, text) => text }, earlyKeys: "kept" };
}

const request: ApprovalRequest = {
  executionId: "e1",
  conversationId: null,
  toolId: "bash",
  title: "Run a command",
  detail: "npm test",
  preview: null,
  reasons: ["it runs code of this folder"],
  isDanger: false,
  scopes: ["once", "conversation", "always"],
  rules: ["bash(npm test:*)"],
};
const danger: ApprovalRequest = { ...request, isDanger: true, scopes: ["once"], rules: [] };

/** Presses keys until there is a result; each frame is drawn before, as on a terminal. */
function play<Result>(dialog: Dialog<Result>, script: string, at = size): Result | undefined {
  for (const key of keysOf(script)) {
    dialog.frame(at, true);
    const result = dialog.press(key);
    if (result !== undefined) return result;
  }
  return undefined;
}

function approve(script: string, asked = request, at = size): ApprovalAnswer | undefined {
  return play(createApprovalDialog(asked, { who: "me", ...parts() }), script, at);
}

function answer(script: string, question: Question): Answer | undefined {
  return play(createQuestionDialog(question, parts()), script);
}

test("one key answers a permission, and every rule it would add is on the screen [L8]", () => {
  const shown: string[] = [];
  const dialog = createApprovalDialog(request, { who: "me", ...parts(shown) });
  dialog.begin?.();
  assert.deepEqual(shown, ["Run a command\n  npm test\n! it runs code of this folder"]);
  assert.deepEqual(dialog.frame(size, true), {
    rows: [
      "[y] yes, once",
      "[c] yes, in this conversation: bash(npm test:*)",
      "[a] always: bash(npm test:*)",
      "[n] no   [e] no, and say why   Esc cancels",
    ],
    cursor: null,
  });
  assert.deepEqual(approve("y"), { decision: "allow", scope: "once", who: "me" });
  assert.deepEqual(approve("c"), { decision: "allow", scope: "conversation", who: "me" });
  assert.deepEqual(approve("xa"), { decision: "allow", scope: "always", who: "me" });
  assert.deepEqual(approve("n"), { decision: "deny", who: "me" });
  assert.equal(approve("<enter> zx<up>"), undefined);
});

test("a no can be explained to the model [L8]", () => {
  assert.deepEqual(approve("euse pnpm<enter>"), { decision: "deny", who: "me", reason: "use pnpm" });
  assert.deepEqual(approve("e<enter>"), { decision: "deny", who: "me" });
  assert.deepEqual(approve("eoops<escape>y"), { decision: "allow", scope: "once", who: "me" });
});

test("a cancel is no answer", () => {
  for (const key of ["<escape>", "<ctrl-c>", "<ctrl-d>", "e<ctrl-c>"]) {
    assert.deepEqual(approve(key), { decision: "unanswered", reason: "cancelled" });
    assert.deepEqual(approve(key.replace("e<", "<"), danger), { decision: "unanswered", reason: "cancelled" });
  }
});

test("danger is allowed by the whole word only, never by a key or a paste [L8]", () => {
  assert.equal(approve("y", danger), undefined);
  assert.equal(approve("yes", danger), undefined);
  assert.equal(approve("<enter><enter>", danger), undefined);
  assert.deepEqual(approve("yes<enter>", danger), { decision: "allow", scope: "once", who: "me" });
  assert.deepEqual(approve("y<enter>", danger), { decision: "deny", who: "me" });
  assert.deepEqual(approve("no, that is the wrong folder<enter>", danger), {
    decision: "deny",
    who: "me",
    reason: "no, that is the wrong folder",
  });
  const dialog = createApprovalDialog(danger, { who: "me", ...parts() });
  assert.equal(dialog.press({ kind: "paste", text: "yes" }), undefined);
  assert.equal(play(dialog, "<enter>"), undefined);
});

test("several characters at once are no answer, and scopes that are not offered are none", () => {
  const dialog = createApprovalDialog(request, { who: "me", ...parts() });
  dialog.frame(size, true);
  assert.equal(dialog.press({ kind: "text", text: "yes" }), undefined);
  assert.equal(dialog.press({ kind: "paste", text: "y" }), undefined);
  assert.equal(approve("ca", { ...request, scopes: ["once"], rules: [] }), undefined);
});

test("a terminal too small for the rules offers only once", () => {
  const small = { columns: 40, rows: 3 };
  const dialog = createApprovalDialog(request, { who: "me", ...parts() });
  assert.deepEqual(dialog.frame(small, true).rows, ["y once · n no · e no, because"]);
  assert.equal(approve("ca", request, small), undefined);
  assert.deepEqual(approve("y", request, small), { decision: "allow", scope: "once", who: "me" });
});

test("what was answered stays in the scrollback", () => {
  const dialog = createApprovalDialog(request, { who: "me", ...parts() });
  assert.equal(
    dialog.end?.({ decision: "allow", scope: "always", who: "me" }, size),
    "✓ allowed always: bash(npm test:*)",
  );
  assert.equal(dialog.end?.({ decision: "deny", who: "me", reason: "why" }, size), "✗ refused: why");
});

const colours: Question = { text: "Which?", options: ["red", "green", "blue"] };
const picked = (...selected: string[]): Answer => ({ answered: true, text: selected.join(", "), selected });

test("an option is picked with arrows, j and k, or its number [L7]", () => {
  assert.deepEqual(answer("<enter>", colours), picked("red"));
  assert.deepEqual(answer("<down><down><enter>", colours), picked("blue"));
  assert.deepEqual(answer("<up><enter>", colours), picked("blue"));
  assert.deepEqual(answer("jjk<enter>", colours), picked("green"));
  assert.deepEqual(answer("2", colours), picked("green"));
  assert.equal(answer("940x", colours), undefined);
  const ten = { text: "Which?", options: Array.from({ length: 10 }, (_, at) => `o${at + 1}`) };
  assert.deepEqual(answer("0", ten), picked("o10"));
});

test("several options are marked with space or their numbers [L7]", () => {
  const several = { ...colours, multiple: true };
  assert.deepEqual(answer(" <down><down> <enter>", several), picked("red", "blue"));
  assert.deepEqual(answer("3122<enter>", several), picked("red", "blue"));
  assert.deepEqual(answer("<enter>", several), { answered: false, reason: "empty" });
});

test("other is free text besides the options [L7]", () => {
  const other = { ...colours, other: true };
  assert.deepEqual(answer("4violet, or so<enter>", other), { answered: true, text: "violet, or so" });
  assert.deepEqual(answer("<up><enter>x<escape>1", other), picked("red"));
  assert.deepEqual(answer("4<enter>", other), { answered: false, reason: "empty" });
  assert.deepEqual(answer("14pink<enter>", { ...other, multiple: true }), picked("red", "pink"));
});

test("a question without options takes a line; empty and cancelled are not answers [L7]", () => {
  const free = { text: "Your name?" };
  assert.deepEqual(answer("Ada <enter>", free), { answered: true, text: "Ada" });
  assert.deepEqual(answer("<enter>", free), { answered: false, reason: "empty" });
  for (const key of ["<escape>", "<ctrl-c>", "<ctrl-d>"]) {
    assert.deepEqual(answer(key, free), { answered: false, reason: "cancelled" });
    assert.deepEqual(answer(key, colours), { answered: false, reason: "cancelled" });
  }
});

test("long options wrap, and more options than rows scroll with the choice in view", () => {
  const long = { text: "?", options: ["a short one", "one that is far too long for a narrow terminal"] };
  const dialog = createQuestionDialog(long, parts());
  assert.deepEqual(dialog.frame({ columns: 24, rows: 10 }, true).rows, [
    "❯ 1. a short one",
    "  2. one that is far",
    "     too long for a",
    "     narrow terminal",
    "arrows or a number, En…",
  ]);
  const many = createQuestionDialog(
    { text: "?", options: Array.from({ length: 30 }, (_, at) => `o${at + 1}`) },
    parts(),
  );
  for (let step = 0; step < 30; step += 1) {
    const { rows } = many.frame({ columns: 40, rows: 6 }, true);
    assert.equal(rows.length, 5);
    assert.ok(
      rows.some((row) => row.startsWith("❯") && row.endsWith(` o${step + 1}`)),
      rows.join("\n"),
    );
    assert.match(rows[4]!, new RegExp(`^${step + 1} of 30`));
    many.press({ kind: "key", name: "down" });
  }
  assert.deepEqual(many.frame({ columns: 40, rows: 2 }, true).rows, ["❯  1. o1"]);
});

test("no frame is wider or taller than its terminal, and options of others move nothing", () => {
  const question = { text: "?", options: ["\u001b[2Jevil", "한국어 ".repeat(20), "x".repeat(300)], other: true };
  for (const columns of [4, 10, 20, 81]) {
    for (const rows of [2, 3, 8, 24]) {
      for (const dialog of [
        createQuestionDialog(question, parts()),
        createApprovalDialog(request, { who: "me", ...parts() }),
        createApprovalDialog(danger, { who: "me", ...parts() }),
      ]) {
        for (const isListening of [true, false]) {
          const frame = dialog.frame({ columns, rows }, isListening);
          assert.ok(frame.rows.length < rows, `${frame.rows.length} rows of ${rows}`);
          for (const row of frame.rows) assert.ok(displayWidth(row) < columns, `${row} is wider than ${columns}`);
          assert.doesNotMatch(frame.rows.join(""), /\p{Control}/u);
        }
      }
    }
  }
});

test("before a panel listens it says what becomes of the keys, which depends on whether a prompt follows [L8]", () => {
  for (const [earlyKeys, said] of [
    ["kept", "… what you type now is kept for your next message"],
    ["dropped", "… what you type now is not an answer yet"],
  ] as const) {
    const asked = { ...parts(), earlyKeys };
    for (const dialog of [
      createApprovalDialog(request, { who: "me", ...asked }),
      createQuestionDialog({ text: "Which?", options: ["a"] }, asked),
    ]) {
      assert.deepEqual(dialog.frame(size, false), { rows: [said], cursor: null });
    }
  }
});
