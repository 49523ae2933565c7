import assert from "node:assert/strict";
import { test } from "node:test";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";
import { cleanSamples } from "./clean-samples.ts";
import { allSamples, keyedSamples, privateKeySamples, vendorSecrets } from "./secret-samples.ts";

const masker = createMasker({ values: [], key: "test" });

test("a secret of a known vendor is masked wherever it stands, and named [D4]", () => {
  for (const [family, secret] of vendorSecrets) {
    for (const text of [secret, `x ${secret} y`, `"${secret}"`, `a=${secret}&b`, `\\n${secret}\\n`, `(${secret}).`]) {
      const masked = masker.text(text);
      assert.ok(!masked.includes(secret), text);
      assert.match(masked, new RegExp(`\\[MASKED:${family}:[0-9a-f]{6}\\]`), text);
    }
  }
});

test("a secret directly behind what is no word is masked: colours, characters that are written out, another secret [D4]", () => {
  const known = "kn0wnZvalue77";
  const knowing = createMasker({ values: [known], key: "test" });
  const before = [
    "\u001b[32m",
    "\u001b[38;2;255;100;100m",
    "\u001b[0K",
    "^[[1m",
    "\\x1b[32m",
    "\\u001b[1;32m",
    "\\033[0m",
    "\\e[0m",
    "\\x20",
    "\\012",
    "\\u200b",
    "=3D",
    known,
  ];
  const missed = vendorSecrets.flatMap(([, secret]) =>
    before.filter((each) => knowing.text(`a ${each}${secret}`).includes(secret)).map((each) => `${each}${secret}`),
  );
  assert.deepEqual(missed, []);
  for (const each of before) {
    const masked = knowing.text(`a ${each}${vendorSecrets[0]![1]} b`);
    assert.equal(knowing.text(masked), masked);
  }
  for (const word of ["theme=desk-aB3dE5fG7hJ9kL1mN2pQ4rS6", "\\desk-aB3dE5fG7hJ9kL1mN2pQ4rS6"]) {
    assert.equal(knowing.text(word), word);
  }
});

test("a value behind a key, a header or an option that names a secret is masked, and its surroundings stay [D4]", () => {
  for (const { text, secret } of keyedSamples) {
    const masked = masker.text(text);
    assert.ok(!masked.includes(secret), text);
    const [before, after] = text.split(secret);
    assert.ok(masked.startsWith(before!) && masked.endsWith(after!), `${text} became ${masked}`);
  }
});

test("a private key is masked as one, also cut off, indented, quoted or with escaped line breaks [D4]", () => {
  for (const { text, secret } of privateKeySamples) {
    const masked = masker.text(text);
    assert.ok(!masked.includes(secret.slice(0, 20)), text);
    assert.ok(masked.startsWith("before\n") && masked.endsWith("\nafter"), masked);
  }
});

test("text without secrets comes back as it was [D4]", () => {
  for (const text of cleanSamples) assert.equal(masker.text(text), text);
  const all = cleanSamples.join("\n");
  assert.equal(masker.text(all), all);
});

test("masking what is masked changes nothing [D4]", () => {
  for (const { text } of allSamples) assert.equal(masker.text(masker.text(text)), masker.text(text));
  const all = allSamples.map(({ text }) => text).join("\n");
  assert.equal(masker.text(masker.text(all)), masker.text(all));
});

test("equal secrets have equal marks, and another installation has other ones [D4]", () => {
  const other = createMasker({ values: [], key: "another" });
  const [, secret] = vendorSecrets[2]!;
  const marksOf = (text: string): string[] => text.match(/\[MASKED:\w+:[0-9a-f]{6}\]/g) ?? [];
  const [first, second, third] = marksOf(masker.text(`${secret} ${secret} ${vendorSecrets[3]![1]}`));
  assert.equal(first, second);
  assert.notEqual(first, third);
  assert.notEqual(marksOf(other.text(secret))[0], first);
});
