import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createBashTool } from "../../src/tools/shell/bash.ts";
import type { StrictShell } from "../../src/tools/shell/run-program.ts";
import { runTool } from "./run-tool.ts";
import { openShell } from "./shell-parts.ts";

/** Words between blanks; the real one is handed in by the runtime. */
const strict: StrictShell = (command) => {
  const [name = "", ...words] = command.split(" ");
  return name === "sudo" ? { ok: false, reason: "sudo is not allowed" } : { ok: true, argv: [name, ...words] };
};

test("in strict mode the words reach the program without a shell [G2]", async (t) => {
  const { parts, listen } = await openShell(t);
  const bash = createBashTool({ ...parts, strict });
  const result = await runTool(bash, { command: "echo $HOME ; * && `id` > file" }, listen());
  assert.deepEqual([result.ok, result.output], [true, "$HOME ; * && `id` > file\n"]);
});

test("in strict mode what is refused is not run, and says why [G2]", async (t) => {
  const { parts, listen } = await openShell(t);
  const bash = createBashTool({ ...parts, strict });
  const refusals: [object, string][] = [
    [{ command: "sudo ls" }, "Refused in strict mode: sudo is not allowed."],
    [{ command: "sleep 300", background: true }, "Refused in strict mode: background processes are not allowed."],
    [{ command: "./tool" }, 'Refused in strict mode: a program is named without its folder, got "./tool".'],
  ];
  for (const [input, error] of refusals) {
    const context = listen();
    const result = await runTool(bash, input, context);
    assert.deepEqual([!result.ok && result.error, !result.ok && result.errorType], [error, "denied"]);
    assert.deepEqual(context.sandboxes, []);
  }
  const late = await runTool(bash, { command: "ls", ready_port: 80 }, listen());
  assert.equal(!late.ok && late.errorType, "invalid_input");
});

test("in strict mode a program of the workdir is never taken for one of the system [G2]", async (t) => {
  const { parts, workdir, listen } = await openShell(t);
  const bin = join(workdir, "bin");
  await mkdir(bin);
  for (const name of ["ls", "only-here"]) {
    await writeFile(join(bin, name), "#!/bin/sh\necho planted\n");
    await chmod(join(bin, name), 0o755);
  }
  const bash = createBashTool({ ...parts, strict });
  const context = { ...listen(), env: { PATH: `${bin}:/usr/bin:/bin` } };
  assert.equal((await runTool(bash, { command: "ls" }, context)).output, "bin\n");
  const missing = await runTool(bash, { command: "only-here" }, { ...listen(), env: { PATH: bin } });
  assert.equal(!missing.ok && missing.errorType, "spawn");
});
