import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { inMode } from "../process/support.ts";
import { hasPython, lane } from "../support/require.ts";
import { echoPython, jsTool, openToolCommand, type ToolCommand } from "./004-support.ts";
import { wholeFile } from "./seed-support.ts";

// Source document 004, section 12: STRICT_WORKDIR_ONLY=1.

let command: ToolCommand;

const attempts = `const fs = await import("node:fs");
  const outside = input.text;
  const tried = {};
  const attempt = (name, work) => { try { work(); tried[name] = "done"; } catch (error) { tried[name] = "refused"; } };
  attempt("write", () => fs.writeFileSync(outside + "/new.txt", "x"));
  attempt("delete", () => fs.unlinkSync(outside + "/there.txt"));
  attempt("move", () => fs.renameSync("in.txt", outside + "/in.txt"));
  attempt("chmod", () => fs.chmodSync(outside + "/there.txt", 0o777));
  attempt("write inside", () => fs.writeFileSync("inside.txt", "x"));
  return JSON.stringify(tried);`;

before(async () => {
  const tools = { "reach_out.js": jsTool("reach_out", attempts, { traits: {} }), "echo_tool.py": echoPython };
  const files = { "in.txt": "inside\n", "sub/x.txt": "x\n", "a..b": "dots\n" };
  command = await openToolCommand(wholeFile, tools, { env: { STRICT_WORKDIR_ONLY: "1" }, files });
});

async function shell(text: string): Promise<{ readonly code: number | null; readonly text: string }> {
  const { code, stdout, stderr } = await command.run(["tool", "run_shell", JSON.stringify({ command: text })]);
  return { code, text: stdout + stderr };
}

test("4-44 in strict mode run_shell refuses parent folders", async () => {
  for (const text of ["cat ../x", "cat sub/../in.txt"]) {
    const refused = await shell(text);
    assert.notEqual(refused.code, 0, text);
    assert.match(refused.text, /strict mode/i);
  }
});

test("4-45 in strict mode run_shell refuses absolute paths", async () => {
  const refused = await shell("cat /etc/passwd");
  assert.notEqual(refused.code, 0);
  assert.match(refused.text, /strict mode/i);
});

test("4-46 in strict mode run_shell refuses the shell's own characters, and runs plain commands", async () => {
  for (const text of ["ls; ls", "ls | cat", "ls > out", "ls & ls", "echo $HOME", "echo `ls`", "ls *", "ls ~", "(ls)"]) {
    const refused = await shell(text);
    assert.notEqual(refused.code, 0, text);
    assert.match(refused.text, /strict mode/i, text);
  }
  assert.equal((await shell("cat 'a..b'")).text.trim(), "dots");
});

test("4-47 in strict mode run_python is off, and the error says why", async () => {
  const { code, stderr } = await command.run(["tool", "run_python", '{"code":"print(1)"}']);
  assert.equal(code, 2);
  assert.match(stderr, /run_python is off in strict mode/);
});

test(
  "4-48 in strict mode nothing outside the workdir can be written, deleted, moved to or have its mode changed",
  inMode("require"),
  async () => {
    const outside = join(command.workdir, "..", "outside");
    await mkdir(outside);
    await writeFile(join(outside, "there.txt"), "there");
    const { stdout, stderr } = await command.run(["tool", "reach_out", JSON.stringify({ text: outside })]);
    const refused = { write: "refused", delete: "refused", move: "refused", chmod: "refused" };
    assert.deepEqual(JSON.parse(stdout || stderr), { ...refused, "write inside": "done" });
  },
);

test("4-48 a Python tool runs there too, also with an interpreter of pyenv", pythonInSandbox(), async () => {
  const { stdout, stderr } = await command.run(["tool", "echo_tool", '{"text":"seen","mode":"upper"}', "--quiet"]);
  assert.equal(stdout.trim(), "SEEN", stderr);
});

function pythonInSandbox(): { skip?: string } {
  const sandbox = inMode("require");
  return sandbox.skip === undefined ? lane("python", hasPython()) : sandbox;
}
