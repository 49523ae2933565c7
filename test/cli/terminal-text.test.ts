import assert from "node:assert/strict";
import { test } from "node:test";
import { renderTable } from "../../src/cli/terminal/table.ts";
import { displayWidth, fitWidth, neutralizeLine, neutralizeText } from "../../src/cli/terminal/terminal-text.ts";

test("control characters of others are shown, not obeyed [G9]", () => {
  assert.equal(neutralizeText("\u001b[2J\u0007a\u0000b\u007f\u009bc"), "␛[2J␇a␀b␡\\u009bc");
  assert.equal(neutralizeText("one\r\ntwo\tthree\rfour"), "one\ntwo\tthree␍four");
  assert.equal(neutralizeText("abc\u202ecba\u2066\u200b"), "abc\\u202ecba\\u2066\\u200b");
  assert.equal(neutralizeText("lone \ud800 surrogate"), "lone \\ud800 surrogate");
  assert.equal(neutralizeText("한국어 👍 naïve 10\u00a0000"), "한국어 👍 naïve 10\u00a0000");
});

test("a cell is one line", () => {
  assert.equal(neutralizeLine("a\n  b\tc\u2028d"), "a b c d");
});

test("width counts columns of a terminal, not characters", () => {
  assert.equal(displayWidth("abc"), 3);
  assert.equal(displayWidth("한국어"), 6);
  assert.equal(displayWidth("👍🏽"), 2);
  assert.equal(displayWidth("e\u0301"), 1);
  assert.equal(displayWidth("…"), 1);
});

test("text is cut at the width, never inside a character", () => {
  assert.equal(fitWidth("abcdef", 6), "abcdef");
  assert.equal(fitWidth("abcdefg", 6), "abcde…");
  assert.equal(fitWidth("한국어한국어", 6), "한국…");
  assert.equal(fitWidth("x".repeat(10_000_000), 5), "xxxx…");
  assert.equal(fitWidth("abc", 0), "");
});

const columns = [{ title: "ID" }, { title: "AGE", align: "right" as const }, { title: "WHAT" }];
const rows = [
  ["call_1", "2 s", "a long text that does not fit on a narrow terminal"],
  ["call_22", "10 min", "b\u001b[31m"],
];

test("a table on no terminal is not cut", () => {
  assert.equal(
    renderTable({ columns, rows, width: undefined }),
    "ID          AGE  WHAT\n" +
      "call_1      2 s  a long text that does not fit on a narrow terminal\n" +
      "call_22  10 min  b␛[31m\n",
  );
});

test("the last column of a table is cut at the terminal's edge", () => {
  const lines = renderTable({ columns, rows, width: 45 }).split("\n");
  assert.equal(lines[1], "call_1      2 s  a long text that does not f…");
  assert.equal(lines[1].length, 45);
});

test("where little room is left the last column gets a line of its own", () => {
  assert.equal(
    renderTable({ columns, rows, width: 30 }),
    "ID          AGE\ncall_1      2 s\n  a long text that does not f…\ncall_22  10 min\n  b␛[31m\n",
  );
});
