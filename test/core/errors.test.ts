import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { codeOf, messageOf, RuntimeError } from "../../src/core/errors.ts";

const throwsWhenShown = {
  toString() {
    throw new Error("no text for you");
  },
};
const throwsWhenAsked = Object.defineProperty(new Error("hidden"), "message", {
  get() {
    throw new Error("no message for you");
  },
});

const cases: readonly (readonly [string, unknown, string | RegExp])[] = [
  ["an error", new Error("lost"), "lost"],
  ["an error without a message", new TypeError(), "TypeError"],
  ["a text", "lost", "lost"],
  ["nothing", undefined, "undefined"],
  ["null", null, "null"],
  ["a number", 7, "7"],
  ["a symbol", Symbol("s"), "Symbol(s)"],
  ["an error of another realm", vm.runInNewContext("new RangeError('far away')"), "far away"],
  ["an object with a message", { message: "from afar", code: "E1" }, "from afar"],
  ["an object without a prototype", Object.create(null), /./],
  ["an object that throws when shown", throwsWhenShown, /./],
  ["an error that throws when asked", throwsWhenAsked, /./],
  ["an error whose message is no text", Object.assign(new Error(""), { message: { deep: true } }), /./],
  ["a revoked proxy", revokedProxy(), /./],
];
for (const [what, thrown, expected] of cases) {
  test(`the message of ${what} that was thrown is a text`, () => {
    const message = messageOf(thrown);
    if (typeof expected === "string") assert.equal(message, expected);
    else assert.match(message, expected);
  });
}

test("the code of anything thrown is a text or nothing", () => {
  assert.equal(codeOf(new RuntimeError("CONFIG_INVALID", "wrong")), "CONFIG_INVALID");
  assert.equal(codeOf(Object.assign(new Error("gone"), { code: "ENOENT" })), "ENOENT");
  for (const thrown of [undefined, null, "ENOENT", { code: 5 }, {}]) assert.equal(codeOf(thrown), undefined);
});

function revokedProxy(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
