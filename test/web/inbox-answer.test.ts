import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnswer } from "../../src/permissions/approvals/approval-inbox.ts";
import { buildAnswer, chooseOption } from "../../web/pages/inbox/build-answer.ts";
import { neighbourOf } from "../../web/pages/inbox/neighbour-of.ts";
import { readOrder } from "../../web/pages/tasks/read-order.ts";

const nothing = { selected: [], isOther: false, text: "" };
const list = { text: "Which?", options: ["a", "b", "c"] };

test("no answer is made up: empty text and nothing chosen are problems [L7]", () => {
  assert.equal(buildAnswer({ text: "Why?" }, { ...nothing, text: "  " }).ok, false);
  assert.equal(buildAnswer(list, nothing).ok, false);
  assert.equal(buildAnswer({ ...list, other: true }, { ...nothing, isOther: true }).ok, false);
});

test("one of a list replaces the other; of several, any stay in the order of the list", () => {
  const one = chooseOption(list, chooseOption(list, nothing, "c"), "a");
  assert.deepEqual(one.selected, ["a"]);
  const several = { ...list, multiple: true };
  const two = chooseOption(several, chooseOption(several, nothing, "c"), "a");
  assert.deepEqual(two.selected, ["a", "c"]);
  assert.deepEqual(chooseOption(several, two, "c").selected, ["a"]);
});

test("what the form sends is the answer that the inbox makes of it [L7]", () => {
  const several = { ...list, multiple: true, other: true };
  const chosen = buildAnswer(several, { selected: ["a", "c"], isOther: false, text: "left over" });
  assert.deepEqual(chosen, { ok: true, answer: { answered: true, text: "a, c", selected: ["a", "c"] } });
  assert.deepEqual(readAnswer(several, { options: [1, 3] }), chosen);
  const other = buildAnswer(several, { selected: ["a"], isOther: true, text: "something else" });
  assert.deepEqual(other, { ok: true, answer: { answered: true, text: "a, something else" } });
  assert.deepEqual(readAnswer(several, { text: "a, something else" }), other);
});

test("the neighbour of an entry is the next or the previous one, and there is none beyond the ends", () => {
  const entries = [{ id: "1" }, { id: "2" }, { id: "3" }];
  assert.equal(neighbourOf(entries, "1", 1)?.id, "2");
  assert.equal(neighbourOf(entries, "2", -1)?.id, "1");
  assert.equal(neighbourOf(entries, "3", 1), undefined);
  assert.equal(neighbourOf(entries, "gone", 1)?.id, "1");
  assert.equal(neighbourOf([], undefined, 1), undefined);
});

test("an order for a task has what was typed, and a sentence for what is wrong", () => {
  const draft = { agent: "claude", message: "Do it", model: "", cwd: "", timeout: "", systemPrompt: "" };
  assert.deepEqual(readOrder(draft), { ok: true, body: { agent: "claude", message: "Do it" } });
  assert.deepEqual(readOrder({ ...draft, timeout: " 90 ", cwd: "/x" }), {
    ok: true,
    body: { agent: "claude", message: "Do it", timeout: 90, cwd: "/x" },
  });
  assert.deepEqual(readOrder({ ...draft, message: " \n" }), { ok: false, problem: "Say what the agent should do." });
  for (const timeout of ["0", "-1", "soon", "Infinity"]) assert.equal(readOrder({ ...draft, timeout }).ok, false);
});
