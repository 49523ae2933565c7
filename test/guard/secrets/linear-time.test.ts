import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";
import { count } from "../../support/counts.ts";

const masker = createMasker({ values: ["known-value-1"], key: "test" });

/** Beginnings of what the rules look for, so that each of them is tried at every place. */
const beginnings = [
  ..."a password password= pass: password=\" password='x token=abc, secret,; key- 비밀번호 암호: <password> password\\ password| password:) password:&a".split(
    " ",
  ),
  ..."sk- sk-a- ghp_ eyJ eyJa. eyJhbGciOiJIUzI1NiJ9. :// a://b:c http://a:b@ AKIA MTA -us1 $2b$ :AA ?sig= LS0tLS1CRUdJTi known-value-".split(
    " ",
  ),
  `-----BEGIN PRIVATE ${"KEY"}-----`,
  `-----BEGIN PRIVATE ${"KEY"}-----\n${"A".repeat(64)}\n`,
  "Authorization: Bearer ",
  "authorization:",
  "cookie: a=b;",
  "curl -u ",
  "mysql -p",
  "echo a|",
  "token is ",
  "key\t",
  "secret  ",
  "a.b1_",
  '{"password":{',
  'name="password" value=',
];

test("a text that tries every rule at every place takes time in proportion to its length [D4]", () => {
  const length = count({ quick: 200_000, full: 1_000_000 });
  for (const beginning of beginnings) {
    const text = beginning.repeat(Math.ceil(length / beginning.length)).slice(0, length);
    const begin = performance.now();
    masker.text(text);
    // Ten times what the slowest takes; what is not linear takes minutes.
    assert.ok(performance.now() - begin < length / 50, `${beginning}: ${performance.now() - begin} ms`);
  }
});

test("whatever the text, masking it throws nothing and comes to rest [D4]", () => {
  const word = fc.constantFrom(...beginnings, " ", "\n", "'", '"', "=", ":", "1aB2cD3eF4", "\ud800", "\0");
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 30 }), (words) => {
      // In a soup of keys, a mark may make a word before it the last of its line; once more, and nothing changes.
      const thrice = masker.text(masker.text(masker.text(words.join(""))));
      assert.equal(masker.text(thrice), thrice);
    }),
    { numRuns: count({ quick: 500, full: 50_000 }) },
  );
});
