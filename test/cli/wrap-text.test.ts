import assert from "node:assert/strict";
import { test } from "node:test";
import { wrapLines, wrapText } from "../../src/cli/terminal/terminal-text.ts";

test("text is broken at spaces to the width, long words stay whole, and no width means one line", () => {
  assert.deepEqual(wrapText("one two three four five six seven", 20), ["one two three four", "five six seven"]);
  assert.deepEqual(wrapText(`see ${"x".repeat(30)} there`, 20), ["see", "x".repeat(30), "there"]);
  assert.deepEqual(wrapText("한국어 텍스트는 두 칸을 차지한다", 20), ["한국어 텍스트는 두", "칸을 차지한다"]);
  assert.deepEqual(wrapText("a b c", undefined), ["a b c"]);
  assert.deepEqual(wrapText("", 40), [""]);
});

test("only lines that are too long are broken, and they keep their indent", () => {
  assert.equal(
    wrapLines("a  b\n    one two three four five six seven\n", 26),
    "a  b\n    one two three four\n    five six seven\n",
  );
  assert.equal(wrapLines("  as it is", undefined), "  as it is");
});
