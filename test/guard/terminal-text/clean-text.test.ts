import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cleanText, createTextCleaner } from "../../../src/guard/terminal-text/clean-text.ts";
import { count } from "../../support/counts.ts";
import { plainText, wildText } from "./texts.ts";

function cleansTo(cases: Readonly<Record<string, string>>): void {
  for (const [given, expected] of Object.entries(cases)) {
    assert.equal(cleanText(given), expected, JSON.stringify(given));
  }
}

test("escape sequences are taken out as a whole, in 7 and 8 bits [G9]", () => {
  cleansTo({
    "\u001b[31mred\u001b[0m and \u001b[1;38;2;1;2;3mbold\u001b[m": "red and bold",
    "\u001b[2J\u001b[H\u001b[?25lgone": "gone",
    "\u009b31mred\u009b0m": "red",
    "\u001b[>4;2m\u001b[ q\u001b[!pok": "ok",
    "a\u001bcb\u001b7c\u001b(Bd\u001b#8e\u001b%Gf\u001b=": "abcdef",
    "\u001b\\end \u009cof a string": "end of a string",
  });
});

test("titles, links and the clipboard do not get through, the text of a link does [G9]", () => {
  cleansTo({
    "\u001b]0;title\u0007text": "text",
    "\u001b]2;제목\u001b\\text": "text",
    "see \u001b]8;;https://evil.example\u001b\\the page\u001b]8;;\u001b\\!": "see the page!",
    "\u001b]52;c;cm0gLXJmIC8=\u0007done": "done",
    "\u009d52;c;AAAA\u009cdone": "done",
    "\u001bPq#0;2;0;0;0\u001b\\\u001bXsos\u001b\\\u001b^pm\u001b\\\u001b_apc\u001b\\ok": "ok",
    "\u0090dcs\u009c\u0098sos\u009c\u009epm\u009c\u009fapc\u0007ok": "ok",
  });
});

test("what does not end hides nothing that follows it [G9]", () => {
  cleansTo({
    "\u001b]0;title\nrm -rf /": "]0;title\nrm -rf /",
    "\u001b[31": "[31",
    "\u001b[3\u001b[1mx": "[3x",
    "\u001b[1\n2m": "[1\n2m",
    "\u001b": "",
    "a\u001b": "a",
    "\u001b\u001b\u001b[31mx": "x",
    "\u001bP": "P",
    "\u001b[한": "[한",
  });
  const long = "x".repeat(5000);
  assert.equal(cleanText(`\u001b]0;${long}\u0007after`), `]0;${long}after`);
  assert.equal(cleanText(`\u001b[${"1;".repeat(200)}mafter`), `[${"1;".repeat(200)}mafter`);
});

test("control characters are gone, and whatever ends a line is a line feed [G9]", () => {
  cleansTo({
    "a\0b\u0007c\bd\u007fe\u0080f\u0084g\u008dh": "abcdefgh",
    "one\r\ntwo\rthree\r\r\nfour\vfive\fsix\u0085seven\u2028eight\u2029nine":
      "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine",
    "10%\r20%\r100%\n": "10%\n20%\n100%\n",
    "a\tb\n": "a\tb\n",
    "high \ud83d and low \ude00 halves": "high � and low � halves",
  });
});

test("invisible and reordering characters are gone [G9]", () => {
  cleansTo({
    "abc\u202ecba\u202c\u2066x\u2069\u200e\u200f\u061c": "abccbax",
    "p\u200ba\u2060s\u00ads\ufeff\u2063w\u180eo\u034frd": "password",
    "a\u200db\u200cc": "abc",
    "hi\u{e0001}\u{e0069}\u{e0067}\u{e006e}\u{e007f}!": "hi!",
    "😀\ufe0f\ufe0e\ufe01\u{e0101}\u{e0102}\u{e01ef}x\ufe0f": "😀\ufe0fx",
    "\ufff9a\ufffab\ufffb\u3164\u115f\uffa0c": "abc",
    "\ufeffbom": "bom",
  });
});

test("characters that join stay where they join [G9]", () => {
  const joined = [
    "👨‍👩‍👧‍👦 👩🏽‍💻 ❤️‍🔥 🏳️‍🌈 1️⃣ ☂︎ 🇰🇷",
    "می‌خواهم نامه‌ای",
    "क्‍ष র‌্যা ශ්‍රී",
    "葛\u{e0100} 﨑",
    "ᠠ᠋ᠭ",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿",
    "한국어 日本語 العربية עברית ไทย ελληνικά naïve e\u0301 ＡＢ　\u00a0\u2800│█",
  ];
  for (const text of joined) assert.equal(cleanText(text), text);
  assert.equal(cleanText("می\u200c\u200c\u200cخواهم 👨\u200d\u200d👩 👨\u200dx"), "می\u200cخواهم 👨\u200d👩 👨x");
});

test("plain text leaves as it came, and cleaning twice changes nothing [G9]", () => {
  const numRuns = count({ quick: 1000, full: 100_000 });
  fc.assert(
    fc.property(plainText, (text) => cleanText(text) === text),
    { numRuns },
  );
  fc.assert(
    fc.property(wildText, (text) => {
      const cleaned = cleanText(text);
      assert.equal(cleanText(cleaned), cleaned);
      // eslint-disable-next-line no-control-regex -- none of them may be left
      assert.doesNotMatch(cleaned, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      assert.ok(cleaned.isWellFormed());
    }),
    { numRuns },
  );
});

test("text in pieces is cleaned like the whole, wherever it was cut [G9]", () => {
  const cuts = fc.array(fc.nat(12), { maxLength: 30 });
  fc.assert(
    fc.property(wildText, cuts, (text, lengths) => {
      const cleaner = createTextCleaner();
      let at = 0;
      let cleaned = "";
      for (const length of lengths) {
        cleaned += cleaner.push(text.slice(at, at + length));
        at += length;
      }
      cleaned += cleaner.push(text.slice(at)) + cleaner.end();
      assert.equal(cleaned, cleanText(text));
    }),
    { numRuns: count({ quick: 2000, full: 200_000 }) },
  );
});

test("text comes out as soon as it can, and an end that never comes holds nothing back for long [G9]", () => {
  const cleaner = createTextCleaner();
  const pushed = ["a\u001b", "[3", "1mb\r", "\r", "\nc\ud83d", "\ude00", "\u001b]0;", "x".repeat(4000)].map((chunk) =>
    cleaner.push(chunk),
  );
  assert.deepEqual(pushed, ["a", "", "b\n", "", "c", "😀", "", ""]);
  assert.equal(cleaner.push("x".repeat(4000)), `]0;${"x".repeat(8000)}`);
  assert.equal(cleaner.push("\u001b]8;"), "");
  assert.equal(cleaner.end(), "]8;");
  assert.equal(cleaner.end(), "");
});

test("a megabyte of the worst takes less than a few times a megabyte of text [G9]", () => {
  const worst = [
    "\u001b]",
    "\u001b[",
    "\u001b[1;",
    `\u001b]${"x".repeat(4090)}`,
    "\u001b",
    "👨\u200d",
    "\u200d",
    "\r",
    "\ud800",
    "\u{e0041}",
  ];
  for (const unit of worst) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const began = performance.now();
    cleanText(text);
    // Quadratic time would be minutes.
    assert.ok(performance.now() - began < 5000, JSON.stringify(unit));
  }
});
