import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inMode } from "../../process/support.ts";
import { openHosts } from "./support.ts";

test("in strict mode without an OS sandbox nothing is run, and that is said [C5]", async (t) => {
  const { hosts, fixture, call } = await openHosts(t, { isStrict: true });
  const file = fixture("echo-tool.ts");
  const message =
    '"tools/echo-tool.ts" is not run: in strict mode tool files need an OS sandbox, and this machine has none.';
  const hint = "Install bubblewrap, or switch strict mode off.";
  assert.deepEqual(await hosts.describe(file), { ok: false, problem: { message, line: null, hint } });
  assert.deepEqual(await call(file, { text: "hi" }), {
    result: { ok: false, error: message, hint, errorType: "denied" },
    entered: false,
  });
});

describe("strict sandbox", inMode("require"), () => {
  for (const name of ["echo-tool.ts", "strict-view.js"]) {
    test(`${name} runs and sees the workdir only [C5]`, async (t) => {
      const { fixture, call } = await openHosts(t, { mode: "require", isStrict: true, hasStrictView: true });
      const { result } = await call(fixture(name), { text: "/root /home /etc/shadow" });
      assert.deepEqual(result, { ok: true, output: name === "strict-view.js" ? "" : "/root /home /etc/shadow" });
    });
  }
});

test("a Python file on a machine without Python gets a clear sentence [C2]", async (t) => {
  const { hosts, fixture } = await openHosts(t, { env: { PATH: "/nowhere" } });
  assert.deepEqual(await hosts.describe(fixture("echo-tool.py")), {
    ok: false,
    problem: {
      message:
        '"tools/echo-tool.py" is a Python file, but there is no python3 or python in PATH: install Python 3.8 or newer, or write the tool in TypeScript.',
      line: null,
      hint: null,
    },
  });
});

test("closed hosts run nothing [C5]", async (t) => {
  const { hosts, fixture, call } = await openHosts(t);
  const file = fixture("echo-tool.ts");
  await call(file, { text: "hi" });
  await hosts.close();
  assert.deepEqual(hosts.list(), []);
  const { result, entered } = await call(file, { text: "hi" });
  assert.ok(!result.ok && !entered && result.error === "The runtime is closed; no tool can be run any more.");
});
