import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { showControls } from "../../../src/guard/terminal-text/show-controls.ts";
import { count } from "../../support/counts.ts";
import { plainText, wildText } from "./texts.ts";

test("nothing is left out: what can't be seen is spelt out [G9]", () => {
  const shown: Record<string, string> = {
    "\u001b[2J\u0007a\0b\u007f\u009bc": "␛[2J␇a␀b␡\\u009bc",
    "rm -rf /\b\b\b\b\b\b\b\bls": "rm -rf /␈␈␈␈␈␈␈␈ls",
    "ls\r\u001b[Krm -rf /": "ls␍␛[Krm -rf /",
    "one\r\ntwo\tthree\n": "one␍\ntwo\tthree\n",
    "a\u202eb\u2066c\u200bd\ufeffe\u00adf": "a\\u202eb\\u2066c\\u200bd\\ufeffe\\u00adf",
    "rm\u00a0-rf\u3000/": "rm\\u00a0-rf\\u3000/",
    "x\u{e0041}\u{e007f}": "x\\u{e0041}\\u{e007f}",
    "\u001b]52;c;AA\u0007": "␛]52;c;AA␇",
    "lone \ud800 half": "lone \\ud800 half",
    "a\u200db": "a\\u200db",
    "a\u2028b": "a\\u2028b",
  };
  for (const [given, expected] of Object.entries(shown)) assert.equal(showControls(given), expected);
});

test("text of any language stays as it is, and spaces do where they are kept", () => {
  for (const text of ["한국어 👨‍👩‍👧 می‌خواهم naïve 🏴󠁧󠁢󠁥󠁮󠁧󠁿\n\tx", "a\\u202eb ␛"]) assert.equal(showControls(text), text);
  assert.equal(showControls("10\u00a0000\u202e", { keepSpaces: true }), "10\u00a0000\\u202e");
});

test("everything that was there can be found again, and showing twice changes nothing [G9]", () => {
  const numRuns = count({ quick: 1000, full: 100_000 });
  fc.assert(
    fc.property(plainText, (text) => showControls(text, { keepSpaces: true }) === text),
    { numRuns },
  );
  fc.assert(
    fc.property(wildText, (text) => {
      const shown = showControls(text);
      assert.equal(showControls(shown), shown);
      assert.ok(shown.length >= text.length);
      // eslint-disable-next-line no-control-regex -- none of them may be left
      assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
    { numRuns },
  );
});
