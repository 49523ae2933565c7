import assert from "node:assert/strict";
import { mkdir, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { globTool } from "../../src/tools/search/glob.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { contextIn, fail, makeFiles, runTool, succeed } from "./run-tool.ts";

async function found(folder: string, input: object): Promise<string[]> {
  const { data } = await succeed(globTool, input, folder);
  return (data as { files: string[] }).files.toSorted();
}

test("patterns find what they say [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const names = [
    "a.ts",
    "b.tsx",
    "c.js",
    ".hidden.ts",
    "src/a.ts",
    "src/deep/er/a.ts",
    "src/[id].ts",
    "test/a.test.ts",
    "été.md",
  ];
  await makeFiles(folder, Object.fromEntries(names.map((name) => [name, ""])));
  const cases: [pattern: string, files: string[]][] = [
    ["*.ts", [".hidden.ts", "a.ts", "src/[id].ts", "src/a.ts", "src/deep/er/a.ts", "test/a.test.ts"]],
    ["./*.ts", [".hidden.ts", "a.ts"]],
    ["**/*.ts", [".hidden.ts", "a.ts", "src/[id].ts", "src/a.ts", "src/deep/er/a.ts", "test/a.test.ts"]],
    ["src/*.ts", ["src/[id].ts", "src/a.ts"]],
    ["src/**", ["src/[id].ts", "src/a.ts", "src/deep/er/a.ts"]],
    ["src/**/a.ts", ["src/a.ts", "src/deep/er/a.ts"]],
    ["**/er/*", ["src/deep/er/a.ts"]],
    ["{src,test}/*.ts", ["src/[id].ts", "src/a.ts", "test/a.test.ts"]],
    [
      "*.{ts{,x},js}",
      [".hidden.ts", "a.ts", "b.tsx", "c.js", "src/[id].ts", "src/a.ts", "src/deep/er/a.ts", "test/a.test.ts"],
    ],
    ["?.ts", ["a.ts", "src/a.ts", "src/deep/er/a.ts"]],
    ["[ab].ts*", ["a.ts", "b.tsx", "src/a.ts", "src/deep/er/a.ts"]],
    ["[!a].*", ["b.tsx", "c.js"]],
    ["[[:alpha:]].js", ["c.js"]],
    ["src/\\[id\\].ts", ["src/[id].ts"]],
    ["?t?.md", ["été.md"]],
    ["A.ts", []],
    ["**/deep/", ["src/deep"]],
    ["src", []],
    ["**", names],
  ];
  for (const [pattern, files] of cases) {
    assert.deepEqual(await found(folder, { pattern }), files.toSorted(), pattern);
  }
  assert.deepEqual(await found(folder, { pattern: "*.ts", path: "src/deep" }), ["src/deep/er/a.ts"]);
});

test("a pattern that can't be one, or leaves the folder, is refused with a sentence [E6]", async (t) => {
  const folder = await temporaryFolder(t);
  const patterns = [
    "",
    "/etc/*",
    "../*",
    "a/../../b",
    "{..,a}/x",
    "!*.ts",
    "a{b",
    "[a",
    "a\0b",
    `${"{a,b}".repeat(20)}`,
    "x".repeat(2000),
  ];
  for (const pattern of patterns) {
    const failed = await fail(globTool, { pattern }, folder);
    assert.equal(failed.errorType, "pattern", pattern);
    assert(failed.hint);
  }
});

test("a pattern made to be slow is not [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const name = "a".repeat(250);
  await makeFiles(folder, { [name]: "", [`${"a/".repeat(60)}b`]: "" });
  for (const pattern of [`${"*a".repeat(200)}*b?`, `${"**/a/".repeat(60)}**/c`, `${"a*".repeat(200)}[!a]`]) {
    assert.deepEqual(await found(folder, { pattern }), []);
  }
});

test("the newest come first, ties by name, and a limit says how many there are [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "old.txt": "", "new.txt": "", "b.txt": "", "a.txt": "" });
  for (const [name, seconds] of Object.entries({ "old.txt": 1000, "new.txt": 3000, "b.txt": 2000, "a.txt": 2000 })) {
    await utimes(join(folder, name), seconds, seconds);
  }
  assert.equal((await succeed(globTool, { pattern: "*" }, folder)).output, "new.txt\na.txt\nb.txt\nold.txt");
  const { output, data } = await succeed(globTool, { pattern: "*", limit: 2 }, folder);
  assert.equal(output, "new.txt\na.txt\n[The newest 2 of 4. Narrow the pattern or raise limit.]");
  assert.deepEqual(data, { files: ["new.txt", "a.txt"], total: 4, truncated: true });
  const nothing = await succeed(globTool, { pattern: "*.zip" }, folder);
  assert.equal(nothing.output, "No files match *.zip in . (files that git ignores left out).");
});

test("links are found but not followed, and a name can't pass for two lines", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "dir/a.txt": "", "two\nlines.txt": "" });
  await symlink("dir", join(folder, "link"));
  await symlink("..", join(folder, "dir/up"));
  assert.deepEqual(await found(folder, { pattern: "**" }), ["dir/a.txt", "dir/up", "link", "two\nlines.txt"]);
  assert.equal((await succeed(globTool, { pattern: "two*" }, folder)).output, '"two\\nlines.txt"');
  assert.deepEqual(await found(folder, { pattern: "*", path: "link" }), ["link/a.txt", "link/up"]);
});

test("a place that is no folder is refused with a sentence [E6]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "work/a.txt": "" });
  await mkdir(join(folder, "outside"));
  await symlink("../outside", join(folder, "work/out"));
  const cases = {
    "a.txt": "not_directory",
    missing: "not_found",
    "..": "access",
    out: "access",
    "a.txt/b": "not_directory",
  };
  for (const [path, errorType] of Object.entries(cases)) {
    assert.equal((await fail(globTool, { pattern: "*", path }, join(folder, "work"))).errorType, errorType, path);
  }
});

test("a search stops when its signal fires", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "a/b/c/d/e": "" });
  const controller = new AbortController();
  const searching = runTool(globTool, { pattern: "**" }, contextIn(folder, controller.signal));
  controller.abort();
  const result = await searching;
  assert(!result.ok && result.errorType === "cancelled");
});
