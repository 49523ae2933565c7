import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createBashTool } from "../../src/tools/shell/bash.ts";
import { createRunPythonTool } from "../../src/tools/shell/run-python.ts";
import { inMode } from "../process/support.ts";
import { runTool } from "./run-tool.ts";
import { openShell } from "./shell-parts.ts";

const normal = { kind: "bwrap", profile: "normal", network: true };

describe("in the sandbox", inMode("require"), () => {
  test("every command tells what held it, also in the background [G4]", async (t) => {
    const { parts, listen } = await openShell(t, {});
    const context = listen();
    await runTool(createBashTool(parts), { command: "true" }, context);
    await runTool(createBashTool(parts), { command: "sleep 300", background: true }, context);
    await runTool(createRunPythonTool(parts), { code: "print(1)" }, context);
    assert.deepEqual(context.sandboxes, [normal, normal, normal]);
  });

  test("Python code runs although its file lies in a hidden folder [C1 G4]", async (t) => {
    const { parts, workdir, listen } = await openShell(t, {});
    const code = "open('made.txt', 'w').write('x')\nprint(open('made.txt').read(), __import__('os').getcwd())";
    const result = await runTool(createRunPythonTool(parts), { code }, listen());
    assert.deepEqual([result.ok, result.output], [true, `x ${workdir}\n`]);
  });

  test("what the sandbox refused is explained in one sentence [G4]", async (t) => {
    const { parts, workdir, listen } = await openShell(t, { network: false, readOnly: [".git/config", ".mcp.json"] });
    await mkdir(join(workdir, ".git"));
    await writeFile(join(workdir, ".git/config"), "");
    const bash = createBashTool(parts);
    const hints: Record<string, string> = {
      "echo x > /etc/deckhand-x": `The sandbox lets commands write only to ${workdir}, /tmp: the person can allow more with the setting "sandbox.writable".`,
      "echo x >> .git/config":
        ".git/config is protected: commands can't change it. Ask the person, or use write or edit, which ask.",
      "echo x > .mcp.json":
        ".mcp.json is protected: commands can't change it. Ask the person, or use write or edit, which ask.",
      "echo x > /dev/tcp/192.0.2.1/80":
        'Commands have no network in this sandbox: the person can allow it with the setting "sandbox.network".',
    };
    for (const [command, hint] of Object.entries(hints)) {
      const result = await runTool(bash, { command }, listen());
      assert.deepEqual([result.ok, !result.ok && result.hint], [false, hint], command);
    }
    const plain = await runTool(bash, { command: "cat missing" }, listen());
    assert.equal(!plain.ok && plain.hint, undefined);
  });
});

test("a command that is proved to read only may overlap with others; all else writes everything [P1]", async (t) => {
  const { parts } = await openShell(t);
  const analyse = (command: string) => ({ isReadOnly: command === "ls" });
  const bash = createBashTool({ ...parts, analyse });
  const touched = (input: { command: string; background?: boolean }) => bash.resources?.(input);
  assert.deepEqual(touched({ command: "ls" }), [{ kind: "everything", access: "read" }]);
  assert.deepEqual(touched({ command: "rm x" }), [{ kind: "everything", access: "write" }]);
  assert.deepEqual(touched({ command: "ls", background: true }), [{ kind: "everything", access: "write" }]);
  const blind = createBashTool(parts);
  assert.deepEqual(blind.resources?.({ command: "ls" }), [{ kind: "everything", access: "write" }]);
});

test("a person is shown the whole command or code before it runs [L8]", async (t) => {
  const { parts, workdir, listen } = await openShell(t);
  const { signal } = listen();
  const command = "echo one\nrm -rf two";
  assert.deepEqual(await createBashTool(parts).preview?.({ command }, { workdir, signal }), { text: command });
  assert.deepEqual(await createBashTool(parts).preview?.({ command, cwd: "sub" }, { workdir, signal }), {
    text: `${command}\n(in the folder sub)`,
  });
  assert.deepEqual(await createRunPythonTool(parts).preview?.({ code: "x = 1" }, { workdir, signal }), {
    text: "x = 1",
  });
});
