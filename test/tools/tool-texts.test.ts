import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "../../src/core/tool.ts";
import { editTool } from "../../src/tools/files/edit.ts";
import { globTool } from "../../src/tools/search/glob.ts";
import { createGrepTool } from "../../src/tools/search/grep.ts";
import { listFilesTool } from "../../src/tools/search/list-files.ts";
import { readTool } from "../../src/tools/files/read.ts";
import { writeTool } from "../../src/tools/files/write.ts";

const grepTool = createGrepTool({ runCommand: () => Promise.reject(new Error("not run here")) });
const tools = [readTool, writeTool, editTool, listFilesTool, globTool, grepTool] as unknown as Tool[];

test("the file tools have their limits, and only write and edit change anything [C1] [E3]", () => {
  const facts = tools.map(({ name, timeoutMs, traits }) => [
    name,
    timeoutMs,
    traits.readOnly,
    traits.risk,
    traits.replay,
  ]);
  assert.deepEqual(facts, [
    ["read", 10_000, true, "low", "safe"],
    ["write", 10_000, false, "medium", "check"],
    ["edit", 10_000, false, "medium", "check"],
    ["list_files", 30_000, true, "low", "safe"],
    ["glob", 30_000, true, "low", "safe"],
    ["grep", 60_000, true, "low", "safe"],
  ]);
});

test("each call states the paths it reads or writes, also the rules that decide what a search leaves out [P3]", () => {
  const rules = ["src/.gitignore", "src/.git/info/exclude", ".gitignore", ".git/info/exclude"];
  const inputs: [name: string, input: object, access: string, paths: string[]][] = [
    ["read", { file_path: "a" }, "read", ["a"]],
    ["write", { file_path: "../a", content: "" }, "write", ["../a"]],
    ["edit", { file_path: "/a", old_string: "a", new_string: "b" }, "write", ["/a"]],
    ["list_files", {}, "read", ["."]],
    ["list_files", { path: "src/deep" }, "read", ["src/deep", ...rules]],
    ["glob", { pattern: "*" }, "read", ["."]],
    ["glob", { pattern: "*", path: "src/deep" }, "read", ["src/deep", ...rules]],
    ["grep", { pattern: "x" }, "read", ["."]],
    ["grep", { pattern: "x", path: "src/deep" }, "read", ["src/deep", ...rules]],
    ["grep", { pattern: "x", path: "src/deep", include_ignored: true }, "read", ["src/deep"]],
    ["grep", { pattern: "x", path: "/a" }, "read", ["/a", "/.gitignore", "/.git/info/exclude"]],
  ];
  for (const [name, input, access, paths] of inputs) {
    const tool = tools.find((each) => each.name === name)!;
    const checked = tool.check(input);
    assert(checked.ok);
    const stated = paths.map((path) => ({ kind: "path", path, access }));
    assert.deepEqual(tool.resources!(checked.input), stated, JSON.stringify(input));
  }
});

test("what a model has to read about a tool is short", () => {
  for (const { name, description, inputSchema } of tools) {
    const characters = description.length + JSON.stringify(inputSchema["properties"]).length;
    assert(characters < (name === "grep" ? 1500 : 1100), `${name}: ${characters} characters`);
  }
});

test("missing and wrong fields are named one by one [E6]", () => {
  const cases: [tool: string, input: unknown, problems: string[]][] = [
    ["read", {}, ["missing file_path"]],
    ["read", { file_path: 1, offset: "2" }, ["wrong file_path", "wrong offset"]],
    ["read", { file_path: "a", limit: 0 }, ["wrong limit"]],
    ["write", {}, ["missing file_path", "missing content"]],
    ["write", { file_path: "a", content: null }, ["wrong content"]],
    ["edit", {}, ["missing file_path", "missing old_string", "missing new_string"]],
    [
      "edit",
      { file_path: "a", old_string: "a", new_string: "b", more_edits: [{ old_string: "x" }] },
      ["missing more_edits[0].new_string"],
    ],
    ["glob", [], ["wrong "]],
    ["grep", { pattern: "a", output_mode: "x", context: -1 }, ["wrong context", "wrong output_mode"]],
  ];
  for (const [name, input, problems] of cases) {
    const checked = tools.find((each) => each.name === name)!.check(input);
    assert(!checked.ok);
    assert.deepEqual(
      checked.problems.map(({ kind, path }) => `${kind} ${path}`),
      problems,
    );
  }
});
