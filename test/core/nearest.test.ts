import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "../../src/core/text.ts";

const names = ["read", "write", "edit", "list_files", "glob", "grep", "bash", "run_python", "web_fetch"];

const cases: readonly (readonly [string, string])[] = [
  ["raed", "read"],
  ["reed", "read"],
  ["GREP", "grep"],
  ["grpe", "grep"],
  ["list_fils", "list_files"],
  ["wirte", "write"],
  ["python", "run_python"],
  ["web_fetch_tool", "web_fetch"],
  ["run_pythn", "run_python"],
];
for (const [typed, meant] of cases) {
  test(`"${typed}" is nearest to "${meant}" [E6]`, () => {
    assert.equal(nearest(typed, names)[0], meant);
  });
}

test("a word that resembles nothing has no nearest [E6]", () => {
  for (const word of ["", "zzz", "launch_missiles", "🚀🚀🚀"]) assert.deepEqual(nearest(word, names), [], word);
});

test("at most the asked number of words comes back, nearest first [E6]", () => {
  assert.deepEqual(nearest("cat", ["cart", "cat", "bat", "dog", "cut"], 2), ["cat", "bat"]);
  assert.deepEqual(nearest("cat", ["cart", "cat", "bat", "dog", "cut"]), ["cat", "bat", "cart"]);
});

test("a name of a megabyte is compared in no time [E6]", () => {
  const began = performance.now();
  nearest(
    "x".repeat(1_000_000),
    Array.from({ length: 500 }, (_, at) => `tool_number_${at}`),
  );
  assert.ok(performance.now() - began < 1000);
});
