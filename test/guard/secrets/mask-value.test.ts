import assert from "node:assert/strict";
import { test } from "node:test";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";
import { makeExecution } from "../../contract/make-execution.ts";

const masker = createMasker({ values: ["known-value-17"], key: "test" });
const password = ["hunter2", "hunter2"].join("");

test("a value is masked deep, also by the keys it stands under, and the keys stay [D4]", () => {
  const masked = masker.value({
    user: "kim",
    password,
    list: ["--token-file", "x", "--password", password, `say known-value-17`],
    env: [{ name: "DB_PASSWORD", value: password }],
    deep: { clientSecret: "aB3dE5gH7jK9", max_tokens: 100_000_000, token: null },
  });
  assert.doesNotMatch(JSON.stringify(masked), /hunter2|known-value-17|aB3dE5gH7jK9/);
  assert.deepEqual(Object.keys(masked), ["user", "password", "list", "env", "deep"]);
  assert.equal(masked.user, "kim");
  assert.match(masked.password, /^\[MASKED:password:[0-9a-f]{6}\]$/);
  assert.equal(masked.deep.max_tokens, 100_000_000);
});

test("a key that is a secret itself is masked, and no field is lost [D4]", () => {
  const token = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
  const masked = masker.value({ [token]: 1, "known-value-17": "a", plain: { [`x known-value-17`]: null }, last: 2 });
  assert.doesNotMatch(JSON.stringify(masked), /aB3dE5gH7jK9|known-value-17/);
  assert.deepEqual(Object.values(masked).slice(0, 2), [1, "a"]);
  assert.match(Object.keys(masked).join(" "), /^\[MASKED:github:\w{6}\] \[MASKED:known:\w{6}\] plain last$/);
  const mark = Object.keys(masker.value({ "known-value-17": 1 }))[0]!;
  assert.deepEqual(Object.values(masker.value({ [mark]: 1, "known-value-17": 2 })), [1, 2]);
  masker.add("later-name-17");
  assert.doesNotMatch(JSON.stringify(masker.value({ "later-name-17": 1 })), /later/);
});

test("what one field gives away as a secret is masked in the others, but for words [D4]", () => {
  const masked = masker.value({ input: { password: "blue7horse9" }, output: "used blue7horse9", note: "blue" });
  assert.doesNotMatch(JSON.stringify(masked), /blue7/);
  assert.equal(masker.value({ a: "DB_PASSWORD=elephant", b: "an elephant" }).b, "an elephant");
});

test("a value without secrets is the very same object [D4]", () => {
  const value = { path: "src/a.ts", list: [1, "two", { three: true }], none: null };
  assert.equal(masker.value(value), value);
});

test("what is nested deeper than anyone reads is left out instead of written unmasked [D4]", () => {
  let value: unknown = { password };
  for (let depth = 0; depth < 10_000; depth++) value = [value];
  assert.doesNotMatch(JSON.stringify(masker.value(value)), /hunter2/);
});

test("a value that holds itself, more than once, comes to an end [D4]", () => {
  const value: Record<string, unknown> = { password };
  Object.assign(value, { self: value, again: [value, value] });
  assert.doesNotMatch(JSON.stringify(masker.value(value)), /hunter2/);
});

test("a record without secrets is the very same object; one with them is masked in every field [D4]", () => {
  const plain = makeExecution({ toolInput: { command: "ls" } });
  assert.equal(masker.execution(plain), plain);
  const secret = "known-value-17";
  const masked = masker.execution({
    ...plain,
    toolId: null,
    toolName: `tool ${secret}`,
    toolInput: { command: `login ${secret}`, password },
    result: {
      ok: false,
      error: secret,
      hint: secret,
      output: secret,
      data: { stdout: secret },
      files: [`/tmp/${secret}`],
    },
    error: secret,
    note: secret,
    killed: [{ pid: 1, command: `login ${secret}` }],
    survivors: [{ pid: 2, command: `login ${secret}` }],
    permission: { decision: "deny", by: "rule", rule: secret, who: null, reasons: [secret], dangers: [] },
  });
  assert.doesNotMatch(JSON.stringify(masked), /known-value-17|hunter2/);
  assert.equal(masked.id, plain.id);
  for (const alone of [
    { conversationId: `ses_${secret}` },
    { permission: { decision: "allow", by: "person", rule: null, who: `me ${secret}`, reasons: [], dangers: [] } },
  ] as const) {
    assert.doesNotMatch(JSON.stringify(masker.execution({ ...plain, ...alone })), /known-value-17/);
  }
});
