import assert from "node:assert/strict";
import { test } from "node:test";
import { appendOutput, noOutput } from "../../web/pages/tasks/append-output.ts";
import { mergePages } from "../../web/state/merge-pages.ts";
import { createPace } from "../../web/state/pace.ts";

const items = (...ids: readonly string[]) => ids.map((id) => ({ id }));

test("a first page that is fetched anew joins the older ones without a hole", () => {
  const known = items("5", "4", "3", "2", "1");
  assert.deepEqual(mergePages({ items: items("6", "5", "4"), next: "4" }, known, "1"), {
    items: items("6", "5", "4", "3", "2", "1"),
    next: "1",
  });
  // So much came meanwhile that they do not meet.
  assert.deepEqual(mergePages({ items: items("99", "98"), next: "98" }, known, "1"), {
    items: items("99", "98"),
    next: "98",
  });
  // All there is fits on one page: what is gone is gone.
  assert.deepEqual(mergePages({ items: items("5"), next: null }, known, "1"), { items: items("5"), next: null });
  // A bounded search that found nothing new among the newest lines.
  assert.deepEqual(mergePages({ items: [], next: "50" }, known, "1"), { items: known, next: "1" });
});

test("a pace acts at once, then once for all that came in between", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let acted = 0;
  const pace = createPace(100, () => void (acted += 1));
  pace.ask();
  assert.equal(acted, 1);
  pace.ask();
  pace.ask();
  t.mock.timers.tick(99);
  assert.equal(acted, 1);
  t.mock.timers.tick(1);
  assert.equal(acted, 2);
  t.mock.timers.tick(1000);
  assert.equal(acted, 2);
  pace.ask();
  pace.ask();
  pace.stop();
  t.mock.timers.tick(1000);
  assert.equal(acted, 3);
});

test("output is put together piece by piece, never twice, and its end is kept [D6]", () => {
  const one = appendOutput(noOutput, { text: "ab", from: 0, to: 2, done: false });
  const again = appendOutput(one, { text: "ab", from: 0, to: 2, done: false });
  const two = appendOutput(again, { text: "c", from: 2, to: 3, done: true, answer: "c", answer_tag: "t1" });
  const all = { text: "abc", to: 3, isDone: true, isCut: false, answer: "c", answerTag: "t1", errorText: "" };
  assert.deepEqual(two, all);
  // An answer that was not sent again is the one that is here.
  assert.deepEqual(appendOutput(two, { text: "", from: 3, to: 3, done: true, answer_tag: "t1" }), all);
  const long = appendOutput(one, { text: "x".repeat(500_000), from: 2, to: 500_002, done: false });
  assert.equal(long.text.length, 400_000);
  assert.equal(long.isCut, true);
});
