import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { dropStack, normalizeFailure, signFailure } from "../../../src/tool-files/rollout/metrics/failure-signature.ts";
import { count } from "../../support/counts.ts";
import { failurePairs, sameFailures } from "./failure-texts.ts";

const sign = (error: string, errorType: string | null = "threw") => signFailure({ error, errorType });

test("a signature is sixteen hexadecimal digits and what a person can read [V6]", () => {
  assert.equal(
    sign("ENOENT: no such file or directory, open '/home/ada/notes.txt'"),
    "63f1ad34d88401dd ENOENT: no such file or directory, open <value>",
  );
  assert.match(sign("x".repeat(5000)), /^[\da-f]{16} x{80}$/);
  assert.match(signFailure({ error: null, errorType: "timeout" }), /^[\da-f]{16} timeout$/);
  assert.match(signFailure({ error: "", errorType: null }), /^[\da-f]{16} no text$/);
});

for (const [name, texts] of Object.entries(sameFailures)) {
  test(`the same failure signs the same: ${name} [V6]`, () => {
    for (const text of texts) assert.equal(sign(text), sign(texts[0]), text);
  });
}

test("30 pairs of failures with different causes sign differently [V6]", () => {
  assert.equal(failurePairs.length, 30);
  for (const [one, other] of failurePairs) assert.notEqual(sign(one), sign(other), `${one}\n${other}`);
});

test("another error type is another failure [V6]", () => {
  assert.notEqual(sign("it failed", "io"), sign("it failed", "access"));
  assert.notEqual(sign("it failed", "io"), sign("it failed", null));
});

test("other numbers, paths, ids, times and quoted values do not change the signature [V6]", () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const values = fc.record({
    number: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    path: fc
      .array(fc.stringMatching(/^[\w.-]{1,12}$/), { minLength: 1, maxLength: 5 })
      .map((parts) => `/${parts.join("/")}`),
    file: fc.tuple(word, fc.constantFrom("txt", "json", "py", "ts")).map((parts) => parts.join(".")),
    uuid: fc.uuid(),
    hex: fc.stringMatching(/^0x[\da-f]{4,12}$/),
    commit: fc.stringMatching(/^[\da-f]{38}$/).map((digits) => `a1${digits}`),
    quoted: fc.stringMatching(/^[\w .,:/#-]{0,30}$/),
    time: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
    port: fc.integer({ min: 1, max: 65535 }),
    temporary: fc.stringMatching(/^tmp[a-z\d_]{8}$/),
  });
  const templates: readonly ((known: Values) => string)[] = [
    ({ number, path }) => `Expected ${number} rows in ${path}, stopped`,
    ({ path, number }) => `${path}:${Math.abs(Math.trunc(number) % 1e6)}: syntax error`,
    ({ file }) => `cat: ${file}: No such file or directory`,
    ({ uuid, hex }) => `no job ${uuid} at ${hex}`,
    ({ commit, quoted }) => `commit ${commit} has no tag "${quoted}"`,
    ({ quoted, time }) => `user '${quoted}' was locked at ${time.toISOString()}`,
    ({ time }) => `lease ended on ${time.toUTCString()}; ask again`,
    ({ port, uuid }) => `connect ECONNREFUSED 10.0.0.7:${port} for https://api.example.com/v1/${uuid}?page=${port}`,
    ({ temporary }) => `could not remove ${temporary}`,
    ({ quoted, path }) => `[Errno 2] No such file or directory: '${path}/${quoted}'`,
  ];
  fc.assert(
    fc.property(fc.constantFrom(...templates), values, values, (template, one, other) => {
      assert.equal(sign(template(one)), sign(template(other)), `${template(one)}\n${template(other)}`);
    }),
    { numRuns: count({ quick: 1000, full: 20_000 }) },
  );
  type Values = typeof values extends fc.Arbitrary<infer Value> ? Value : never;
});

test("a failure that differs after its first 300 characters only is the same [V6]", () => {
  const long = "word ".repeat(80);
  assert.equal(sign(`${long} one`), sign(`${long} two`));
  assert.notEqual(sign(`one ${long}`), sign(`two ${long}`));
});

test("any text has a signature, on one short line [V6]", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 500 }), (error) => {
      const signature = sign(error);
      assert.ok(signature.length <= 97 && !/[\n\r]/.test(signature), signature);
      assert.ok(signature.isWellFormed() || !error.isWellFormed());
    }),
    { numRuns: count({ quick: 300, full: 10_000 }) },
  );
});

// A pattern that takes quadratic time needs minutes for one of these, others milliseconds for all.
test("no text makes the patterns take time out of proportion [V6]", { timeout: 60_000 }, () => {
  const quotes = ["'", '"', "“", "‘", "`", "{'error': '", '{"a', 'File "'];
  const names = ["/", "a/", "a.", "-", "a-1", "\\\\", "http://", "http://a@", "tmp", "0x", "abcdef"];
  const others = ["1:", "1.", ":", "1", "Mon, ", "status ", "at x)", " at a", "~^ ", "(", "\t", "<n> ", "<n>,"];
  for (const piece of [...quotes, ...names, ...others]) {
    for (const between of ["", " ", "\n"]) {
      const text = (piece + between).repeat(300_000 / (piece.length + between.length));
      normalizeFailure(dropStack(text));
    }
  }
});
