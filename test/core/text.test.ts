import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clipText, cutMiddle, cutText } from "../../src/core/text.ts";
import { count } from "../support/counts.ts";

test("a text within the limit stays as it is", () => {
  for (const cut of [cutText, clipText, cutMiddle]) {
    assert.equal(cut("12345", 5), "12345");
    assert.equal(cut("", 0), "");
  }
});

test("a longer text says how many characters were cut [P6]", () => {
  assert.equal(cutText("1234567", 5), "12345… [2 characters cut]");
  assert.equal(clipText("1234567", 5), "12345");
  assert.equal(cutText("abc", 0), "… [3 characters cut]");
  assert.equal(clipText("abc", 0), "");
});

test("a pair of surrogates is never split", () => {
  assert.equal(clipText("ab😀cd", 3), "ab");
  assert.equal(clipText("ab😀cd", 4), "ab😀");
  assert.equal(cutText("ab😀cd", 3), "ab… [4 characters cut]");
  assert.equal(clipText("😀", 1), "");
});

test("whatever the text and the limit: well-formed, not longer than allowed, and the count is true", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 400 });
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 300 }), (whole, limit) => {
      const clipped = clipText(whole, limit);
      assert.ok(clipped.isWellFormed() && clipped.length <= limit && whole.startsWith(clipped));
      assert.ok(clipped === whole || clipped.length >= limit - 1);
      const cut = cutText(whole, limit);
      assert.ok(cut.isWellFormed());
      if (cut !== whole) assert.equal(cut, `${clipped}… [${whole.length - clipped.length} characters cut]`);
    }),
    { numRuns: count({ quick: 500, full: 20_000 }) },
  );
});

test("cut in the middle, head and tail stay, within the limit, and the count is true", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 800 });
  fc.assert(
    fc.property(text, fc.integer({ min: 100, max: 300 }), (whole, limit) => {
      const cut = cutMiddle(whole, limit);
      if (whole.length <= limit) return assert.equal(cut, whole);
      assert.ok(cut.isWellFormed() && cut.length <= limit);
      const [, head, missing, tail] = /^([^]*)\n… \[(\d+) characters cut\] …\n([^]*)$/.exec(cut)!;
      assert.ok(whole.startsWith(head!) && whole.endsWith(tail!));
      assert.equal(head!.length + Number(missing) + tail!.length, whole.length);
    }),
    { numRuns: count({ quick: 500, full: 20_000 }) },
  );
});
