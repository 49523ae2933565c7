import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnswer } from "../../../src/permissions/approvals/approval-inbox.ts";

const list = { text: "Which?", options: ["red", "green", "blue"] };

test("an option is chosen by its number or its text [L7]", () => {
  const green = { ok: true, answer: { answered: true, text: "green", selected: ["green"] } };
  assert.deepEqual(readAnswer(list, { text: "2" }), green);
  assert.deepEqual(readAnswer(list, { text: " green " }), green);
  assert.deepEqual(readAnswer(list, { options: [2] }), green);
});

test("several can be chosen where that is offered [L7]", () => {
  const both = { ok: true, answer: { answered: true, text: "red, blue", selected: ["red", "blue"] } };
  assert.deepEqual(readAnswer({ ...list, multiple: true }, { text: "1, 3" }), both);
  assert.deepEqual(readAnswer({ ...list, multiple: true }, { options: [1, 3, 1] }), both);
});

test("the same said twice, as an answer has it, is one answer [L7]", () => {
  const both = { ok: true, answer: { answered: true, text: "red, blue", selected: ["red", "blue"] } };
  assert.deepEqual(readAnswer({ ...list, multiple: true }, { options: [1, 3], text: "red, blue" }), both);
});

test("an option that is a number is meant by its text [L7]", () => {
  const answer = readAnswer({ text: "How many?", options: ["3", "1"] }, { text: "1" });
  assert.deepEqual(answer, { ok: true, answer: { answered: true, text: "1", selected: ["1"] } });
});

test("free text is welcome only where the question says so [L7]", () => {
  assert.deepEqual(readAnswer({ ...list, other: true }, { text: "teal" }), {
    ok: true,
    answer: { answered: true, text: "teal" },
  });
  assert.deepEqual(readAnswer(list, { text: "teal" }), {
    ok: false,
    problem: '"teal" is not one of the options; choose 1 to 3.',
  });
});

test("nothing is chosen for the person [L7]", () => {
  const problems = [
    [list, {}, "The answer is empty; choose 1 to 3."],
    [list, { text: "  " }, "The answer is empty; choose 1 to 3."],
    [list, { text: "4" }, "There is no option 4; choose 1 to 3."],
    [list, { options: [0] }, "There is no option 0; choose 1 to 3."],
    [list, { options: [1, 2] }, "Only one option can be chosen."],
    [list, { options: [1], text: "blue" }, 'The options say "red" and the text says "blue"; give one of them.'],
    [
      { ...list, other: true },
      { options: [1], text: "and a bow" },
      'The options say "red" and the text says "and a bow"; give one of them.',
    ],
    [{ text: "Name?" }, { text: "" }, "The answer is empty; give a text."],
    [{ text: "Name?" }, { options: [1] }, "This question has no list to choose from; answer with text."],
  ] as const;
  for (const [question, given, problem] of problems)
    assert.deepEqual(readAnswer(question, given), { ok: false, problem });
});
