import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { globTool } from "../../src/tools/search/glob.ts";
import { count } from "../support/counts.ts";
import { lane } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { makeFiles, succeed } from "./run-tool.ts";

const hasGit = spawnSync("git", ["--version"]).status === 0;
const needsGit = lane("git", hasGit || "git is not installed");

/** No settings of this machine: only what is in the repository. */
const gitEnvironment = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  HOME: "/",
};

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8", env: gitEnvironment });
}

function notIgnoredByGit(folder: string): string[] {
  const listed = git(folder, "ls-files", "-z", "--others", "--exclude-standard");
  return listed.split("\0").filter(Boolean).toSorted();
}

async function globAll(folder: string, more: object = {}): Promise<string[]> {
  const { data } = await succeed(globTool, { pattern: "**", limit: 10_000, ...more }, folder);
  return (data as { files: string[] }).files.toSorted();
}

test("rules of every kind leave out what git leaves out [C1]", needsGit, async (t) => {
  const folder = await temporaryFolder(t);
  git(folder, "init", "-q");
  const rules = [
    "# a comment",
    "\\#literal",
    "*.log",
    "!keep.log",
    "/top-only",
    "dir-only/",
    "deep/**/x",
    "a/*/c",
    "trailing\\ ",
    "spaces   ",
    "[ab]c",
    "[!ab]d",
    "sub/inner.txt",
    "everything-in/**",
    "!everything-in/kept",
    "**/anywhere/leaf",
    "\\!bang",
    "crlf\r",
    "broken[",
    "",
  ];
  await makeFiles(folder, {
    ".gitignore": `\uFEFF${rules.join("\n")}`,
    ".git/info/exclude": "excluded\n!x.log\n",
    "nested/.gitignore": "*\n!.gitignore\n!kept\n!*.log\n",
  });
  const names = `#literal|x.log|keep.log|top-only|sub/top-only|dir-only|sub/dir-only/x|deep/x|deep/1/2/x|a/b/c|a/b/d/c
    |trailing |trailing|spaces|ac|bc|cc|ad|cd|sub/inner.txt|inner.txt|everything-in/1/2|everything-in/kept
    |z/anywhere/leaf|anywhere/leaf|!bang|bang|crlf|broken[|excluded|sub/excluded|nested/kept|nested/lost
    |nested/y.log|nested/sub/kept|.env|.hidden/file`.split(/\n *\||\|/);
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), "");
  }
  assert.deepEqual(await globAll(folder), notIgnoredByGit(folder));
});

test("random rules in random trees leave out what git leaves out [C1]", needsGit, async (t) => {
  const folder = await temporaryFolder(t);
  const name = fc.constantFrom("a", "b", "ab", "a.b", "ba", "B");
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
  const part = fc.constantFrom("a", "b", "*", "**", "?", "a*", "*b", "[ab]", "[!a]", "a.b", "\\a", "a?b", "***");
  const rule = fc
    .tuple(
      fc.constantFrom("", "!"),
      fc.constantFrom("", "/"),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "/"),
    )
    .map(([negation, start, parts, end]) => negation + start + parts.join("/") + end);
  const rules = fc.array(rule, { maxLength: 5 }).map((lines) => lines.join("\n"));
  const world = fc.record({
    files: fc.array(path, { minLength: 1, maxLength: 12 }),
    top: rules,
    nested: fc.option(rules, { nil: undefined }),
    exclude: rules,
  });
  const property = fc.asyncProperty(world, async ({ files, top, nested, exclude }) => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    git(folder, "init", "-q", "--template=");
    for (const file of files) {
      // A name may be a folder for one path and a file for another: the first one stays.
      await mkdir(dirname(join(folder, file)), { recursive: true }).catch(() => undefined);
      await writeFile(join(folder, file), "").catch(() => undefined);
    }
    await makeFiles(folder, { ".gitignore": top, ".git/info/exclude": exclude });
    if (nested !== undefined) await makeFiles(folder, { "a/.gitignore": nested }).catch(() => undefined);
    assert.deepEqual(await globAll(folder), notIgnoredByGit(folder));
  });
  await fc.assert(property, { numRuns: count({ quick: 60, full: 1000 }) });
});

test("rules above the searched folder count, up to its repository and no further [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, {
    ".gitignore": "*.outer\n",
    "repo/.git/info/exclude": "*.excluded\n",
    "repo/.gitignore": "*.log\n/sub/rooted\n",
    "repo/sub/x.outer": "",
    "repo/sub/x.excluded": "",
    "repo/sub/x.log": "",
    "repo/sub/rooted": "",
    "repo/sub/module/.git": "gitdir: elsewhere",
    "repo/sub/module/x.log": "",
  });
  assert.deepEqual(await globAll(join(folder, "repo"), { path: "sub" }), ["sub/module/x.log", "sub/x.outer"]);
  assert.deepEqual(await globAll(join(folder, "repo/sub")), ["module/x.log", "x.outer"]);
});

test("a .gitignore counts without a repository; told to, everything but .git is found [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { ".gitignore": "node_modules/\n", "node_modules/x/y.js": "", "a.js": "" });
  assert.deepEqual(await globAll(folder), [".gitignore", "a.js"]);
  assert.deepEqual(await globAll(folder, { path: "node_modules" }), ["node_modules/x/y.js"]);
  await makeFiles(folder, { ".git/config": "" });
  assert.deepEqual(await globAll(folder, { include_ignored: true }), [".gitignore", "a.js", "node_modules/x/y.js"]);
  assert.deepEqual(await globAll(folder, { path: ".git" }), [".git/config"]);
});

test("a linked work tree takes the rules of its repository", needsGit, async (t) => {
  const folder = await temporaryFolder(t);
  const main = join(folder, "main");
  await makeFiles(main, { "a.txt": "" });
  git(main, "init", "-q");
  git(main, "add", "a.txt");
  git(main, "-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "-m", "m");
  git(main, "worktree", "add", "-q", "../tree");
  await makeFiles(main, { ".git/info/exclude": "*.tmp\n" });
  await makeFiles(folder, { "tree/x.tmp": "", "tree/x.txt": "" });
  assert.deepEqual(await globAll(join(folder, "tree")), ["a.txt", "x.txt"]);
});

test("a .gitignore that is a pipe or a folder is passed over without waiting", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "a/x": "", "b/x": "", "b/.gitignore/x": "" });
  execFileSync("mkfifo", [join(folder, "a/.gitignore")]);
  assert.deepEqual(await globAll(folder), ["a/.gitignore", "a/x", "b/.gitignore/x", "b/x"]);
});
