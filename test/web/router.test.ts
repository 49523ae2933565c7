import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pathTo, withQuery } from "../../web/api/query.ts";
import { takeLoginCode } from "../../web/app/take-login-code.ts";
import { matchRoute } from "../../web/router/match-route.ts";

test("a pattern takes what fits it, and nothing else", () => {
  assert.deepEqual(matchRoute("/", "/"), {});
  assert.deepEqual(matchRoute("/tasks", "/tasks/"), {});
  assert.deepEqual(matchRoute("/tasks/:id", "/tasks/task_1"), { id: "task_1" });
  assert.equal(matchRoute("/tasks/:id", "/tasks"), undefined);
  assert.equal(matchRoute("/tasks/:id", "/tasks/a/b"), undefined);
  assert.equal(matchRoute("/tasks/:id", "/jobs/a"), undefined);
  assert.equal(matchRoute("/tasks/:id", "/tasks/%zz"), undefined);
});

test("any name makes a path without a dot, and comes back from it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (name) => {
      const path = pathTo("tools", name);
      assert.ok(!path.includes("."));
      assert.deepEqual(matchRoute("/tools/:name", path), { name });
    }),
  );
});

test("a query leaves out what is empty", () => {
  assert.equal(
    withQuery("/api/log", { text: "a&b", tool: "", type: null, limit: 100 }),
    "/api/log?text=a%26b&limit=100",
  );
  assert.equal(withQuery("/api/log", { text: undefined }), "/api/log");
});

test("a login code is taken out of the address [D6]", () => {
  const replaced: string[] = [];
  const history = { replaceState: (_state: null, _unused: string, url: string) => void replaced.push(url) };
  assert.equal(takeLoginCode({ hash: "#code=abc-123", pathname: "/tasks", search: "?x=1" }, history), "abc-123");
  assert.equal(takeLoginCode({ hash: "#main", pathname: "/", search: "" }, history), undefined);
  assert.equal(takeLoginCode({ hash: "#code=", pathname: "/", search: "" }, history), undefined);
  assert.deepEqual(replaced, ["/tasks?x=1"]);
});
