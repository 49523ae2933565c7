import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createRunPythonTool } from "../../src/tools/shell/run-python.ts";
import { runsIn } from "../process/support.ts";
import { hasPython, lane } from "../support/require.ts";
import { makeFiles, runTool } from "./run-tool.ts";
import { openShell } from "./shell-parts.ts";

describe("with Python", lane("python", hasPython()), () => {
  test("code runs in the workdir, may be long, and imports what lies there [C1]", async (t) => {
    const { parts, workdir, listen } = await openShell(t);
    await makeFiles(workdir, { "helper.py": "answer = 42\n" });
    const python = createRunPythonTool(parts);
    const code = `import os, helper\nprint(os.getcwd(), helper.answer, "héllo")\n# ${"x".repeat(300_000)}`;
    const result = await runTool(python, { code }, listen());
    assert.deepEqual([result.ok, result.output], [true, `${workdir} 42 héllo\n`]);
  });

  test("an exception is a failure with its traceback [C1]", async (t) => {
    const { parts, listen } = await openShell(t);
    const result = await runTool(
      createRunPythonTool(parts),
      { code: "print('before')\nraise ValueError('no')" },
      listen(),
    );
    assert.ok(!result.ok);
    assert.deepEqual([result.error, result.errorType], ["Python exited with code 1", "exit_code"]);
    assert.match(result.output!, /^before\n\[stderr\]\nTraceback/);
    assert.match(result.output!, /line 2/);
    assert.match(result.output!, /ValueError: no/);
  });

  test("the code is the main program: it can exit, pickle its own classes, and read no input [C1]", async (t) => {
    const { parts, listen } = await openShell(t);
    const python = createRunPythonTool(parts);
    const exited = await runTool(python, { code: "import sys\nsys.exit(5)" }, listen());
    assert.deepEqual(exited.data, { exit_code: 5, stdout: "", stderr: "" });
    const pickled = await runTool(
      python,
      {
        code: "import pickle, sys\nclass A: pass\nprint(__name__, type(pickle.loads(pickle.dumps(A()))).__name__, repr(sys.stdin.read()))",
      },
      listen(),
    );
    assert.equal(pickled.output, "__main__ A ''\n");
  });

  test("nothing is left of it, also after a cancel [C1 E4]", async (t) => {
    const { parts, workdir, listen } = await openShell(t);
    const python = createRunPythonTool(parts);
    const controller = new AbortController();
    const context = { ...listen(controller.signal), progress: () => controller.abort() };
    const result = await runTool(python, { code: "import time\nprint('up', flush=True)\ntime.sleep(300)" }, context);
    assert.ok(!result.ok);
    assert.equal(result.errorType, "cancelled");
    assert.deepEqual(runsIn(join(workdir, "../run")), []);
  });

  test("it needs no temporary folder, and runs in the folder it is given [C1]", async (t) => {
    const { parts, workdir, listen } = await openShell(t);
    await makeFiles(workdir, { "sub/helper.py": "answer = 42\n" });
    const python = createRunPythonTool(parts);
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = "/no/such/folder";
    t.after(() => void (before === undefined ? delete process.env["TMPDIR"] : (process.env["TMPDIR"] = before)));
    const code = "import os, sys, helper\nprint(os.getcwd(), helper.answer, len(sys.argv))";
    const result = await runTool(python, { code, cwd: "sub" }, listen());
    assert.deepEqual([result.ok, result.output], [true, `${workdir}/sub 42 1\n`]);
  });
});

test("a machine without Python says so [C1]", async (t) => {
  const { parts, workdir, listen } = await openShell(t);
  await mkdir(join(workdir, "bin"));
  const context = { ...listen(), env: { PATH: join(workdir, "bin") } };
  const result = await runTool(createRunPythonTool(parts), { code: "print(1)" }, context);
  assert.ok(!result.ok);
  assert.equal(result.errorType, "spawn");
  assert.match(result.error, /python3/);
});
