import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { lane } from "../support/require.ts";
import { openMachine } from "./run-deckhand.ts";

const execute = promisify(execFile);

for (const language of ["ts", "js", "py"]) {
  const needs = language === "py" ? lane("python", spawnSync("python3", ["--version"]).status === 0) : {};
  test(`tools new writes a tool in ${language} that works at once, with a test that passes [C2]`, needs, async (t) => {
    const machine = await openMachine(t);
    const made = await machine.run(["tools", "new", "word_count", "--language", language, "--json"]);
    assert.equal(made.code, 0, made.stderr);
    const { name, files, input, test: command } = JSON.parse(made.stdout) as Record<string, unknown>;
    const testFile = language === "py" ? "tools/test_word_count.py" : `tools/word_count.test.${language}`;
    assert.deepEqual({ name, files }, { name: "word_count", files: [`tools/word_count.${language}`, testFile] });
    const called = await machine.run(["tool", "word_count", JSON.stringify(input)]);
    assert.deepEqual([called.code, called.stdout, called.stderr], [0, "1 word, 5 letters\n", ""]);
    await execute("/bin/sh", ["-c", String(command)], { cwd: machine.workdir, env: { ...process.env } });
  });
}

test("tools new replaces nothing, and takes no name that a built-in tool has [C2]", async (t) => {
  const machine = await openMachine(t);
  await mkdir(join(machine.workdir, "tools"));
  await writeFile(join(machine.workdir, "tools", "mine.ts"), "mine");
  const taken = await machine.run(["tools", "new", "mine"]);
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /tools\/mine\.ts is already there/);
  assert.equal(await readFile(join(machine.workdir, "tools", "mine.ts"), "utf8"), "mine");
  assert.equal((await machine.run(["tools", "new", "run_shell"])).code, 2);
  assert.equal((await machine.run(["tools", "new", "../x"])).code, 2);
  assert.equal((await machine.run(["tools", "new", "x", "--language", "rust"])).code, 2);
});

test("tools shows those from files with version and file, and says what is wrong with the others [C6, C3]", async (t) => {
  const machine = await openMachine(t);
  await machine.run(["tools", "new", "word_count"]);
  await writeFile(join(machine.workdir, "tools", "bad.ts"), "export {};");
  const { stdout, stderr } = await machine.run(["tools"]);
  assert.match(stdout, /^word_count +read-only +word_count@[0-9a-f]{12} +tools\/word_count\.ts +Count the words/m);
  assert.match(stderr, /tools\/bad\.ts: It exports no TOOL_SPEC\./);
  const all = JSON.parse((await machine.run(["tools", "--json"])).stdout) as Record<string, unknown>[];
  const { file, state, problem } = all.find(({ name }) => name === "word_count")!;
  assert.deepEqual({ file, state, problem }, { file: "tools/word_count.ts", state: "loaded", problem: null });
});
