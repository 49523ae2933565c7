import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";
import { count } from "../../support/counts.ts";
import { cleanSamples } from "./clean-samples.ts";
import { allSamples } from "./secret-samples.ts";

const masker = createMasker({ values: ["a known value 99"], key: "test" });
const samples = [...allSamples.map(({ text }) => text), ...cleanSamples, "x a known value 99 y"];

test("however a text is cut into pieces, what comes out is what masking the whole gives [D4]", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...samples), { minLength: 1, maxLength: 12 }),
      fc.constantFrom("\n", "\r\n", " ; "),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
      (texts, joint, sizes) => {
        const text = texts.join(joint);
        assert.equal(inPieces(text, sizes), masker.text(text));
      },
    ),
    { numRuns: count({ quick: 150, full: 5000 }) },
  );
});

test("a secret in two pieces never comes out [D4]", () => {
  for (const { text, secret } of allSamples) {
    for (const at of [1, Math.floor(secret.length / 2), secret.length - 1]) {
      const cut = text.indexOf(secret) + at;
      assert.ok(!inPieces(text, [cut, text.length]).includes(secret), text);
    }
  }
});

test("whole lines without secrets are not held back [D4]", () => {
  const stream = masker.stream();
  assert.equal(stream.push("one\ntwo\nthr"), "one\ntwo\n");
  assert.equal(stream.push("ee\n"), "three\n");
  assert.equal(stream.end(), "");
});

test("a line without an end is let go in parts, and holds little back [D4]", () => {
  const stream = masker.stream();
  const piece = "word ".repeat(200);
  let [given, out] = [0, 0];
  for (let at = 0; at < 100; at++) {
    given += piece.length;
    out += stream.push(piece).length;
    assert.ok(given - out <= 4096 + piece.length, `${given - out} characters are held back`);
  }
  assert.equal(out + stream.end().length, given);
});

test("the beginning of a private key that never ends does not hold back the rest for ever [D4]", () => {
  const stream = masker.stream();
  const out = stream.push(`-----BEGIN RSA PRIVATE ${"KEY"}-----\nthis is\nonly a text\nabout keys\nand more\n`);
  assert.match(out, /about keys/);
});

function inPieces(text: string, sizes: readonly number[]): string {
  const stream = masker.stream();
  let [out, at] = ["", 0];
  for (let turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    out += stream.push(text.slice(at, at + size));
    at += size;
  }
  return out + stream.end();
}
