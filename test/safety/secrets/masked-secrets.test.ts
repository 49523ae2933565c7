import assert from "node:assert/strict";
import { test } from "node:test";
import { createMasker } from "../../../src/safety/secrets/create-masker.ts";
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
