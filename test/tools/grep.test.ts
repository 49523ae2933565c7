import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createGrepTool } from "../../src/tools/search/grep.ts";
import { globTool } from "../../src/tools/search/glob.ts";
import { openBench, withRg } from "./grep-bench.ts";
import { contextIn, fail, makeFiles, runTool, succeed } from "./run-tool.ts";

test("matching lines come under their file, with numbers and context [C1]", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  await makeFiles(folder, {
    "b.txt": "one\ntwo needle\nthree\nfour\nfive\nsix needle\n",
    "a/a.txt": "needle\r\n",
    "c.txt": "nothing\n",
  });
  const plain = await succeed(tool, { pattern: "needle" }, folder);
  assert.equal(plain.output, "a/a.txt\n1:needle\n\nb.txt\n2:two needle\n6:six needle");
  assert.deepEqual(plain.data, {
    matches: [
      { path: "a/a.txt", line: 1, text: "needle" },
      { path: "b.txt", line: 2, text: "two needle" },
      { path: "b.txt", line: 6, text: "six needle" },
    ],
    total_matches: 3,
    total_files: 2,
    truncated: false,
  });
  const context = await succeed(tool, { pattern: "needle", context: 1, path: "b.txt" }, folder);
  assert.equal(context.output, "b.txt\n1-one\n2:two needle\n3-three\n--\n5-five\n6:six needle");
  assert.equal((await succeed(tool, { pattern: "needle", output_mode: "files" }, folder)).output, "a/a.txt\nb.txt");
  const counts = await succeed(tool, { pattern: "needle", output_mode: "count" }, folder);
  assert.equal(counts.output, "a/a.txt: 1\nb.txt: 2\n[3 matching lines in 2 files.]");
});

test("no match is a success that says so [C1]", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  for (const output_mode of ["content", "files", "count"]) {
    const { output, data } = await succeed(tool, { pattern: "zzz", output_mode }, folder);
    assert.equal(output, "No matches for zzz. Files that git ignores and files of secrets (.env, keys) were left out.");
    assert.deepEqual(data, { matches: [], total_matches: 0, total_files: 0, truncated: false });
  }
});

test("each option does what it says [C1]", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  await makeFiles(folder, {
    "a.ts": "foo(bar)\nFOO\n--flag\nend\n",
    "b.py": "foo\nbar\n",
    "crlf.txt": "foo\r\nbar\r\n",
    "src/deep/c.ts": "foo\n",
    "src/c.test.ts": "foo\n",
    "utf16.txt": Buffer.from("\uFEFFfoo ü\n", "utf16le"),
  });
  const cases: [input: object, files: string[]][] = [
    [{ pattern: "foo(bar)", fixed_strings: true }, ["a.ts"]],
    [{ pattern: "foo\\(bar\\)" }, ["a.ts"]],
    [{ pattern: "^FOO$" }, ["a.ts"]],
    [{ pattern: "^foo$", ignore_case: true }, ["a.ts", "b.py", "crlf.txt", "src/c.test.ts", "src/deep/c.ts"]],
    [{ pattern: "--flag" }, ["a.ts"]],
    [{ pattern: "-e" }, []],
    [{ pattern: "foo ü" }, ["utf16.txt"]],
    [{ pattern: "foo", type: "py" }, ["b.py"]],
    [{ pattern: "foo", glob: "*.ts" }, ["a.ts", "src/c.test.ts", "src/deep/c.ts"]],
    [{ pattern: "foo", glob: "src/**/*.ts" }, ["src/c.test.ts", "src/deep/c.ts"]],
    [{ pattern: "foo", glob: "deep/*.ts", path: "src" }, ["src/deep/c.ts"]],
    [{ pattern: "foo", glob: "src/*.ts", path: "src" }, ["src/c.test.ts"]],
    [{ pattern: "foo", glob: "*.{py,txt}" }, ["b.py", "crlf.txt", "utf16.txt"]],
    [{ pattern: "foo", glob: "[ab].*" }, ["a.ts", "b.py"]],
    [{ pattern: "foo", glob: "!*.ts" }, ["b.py", "crlf.txt", "utf16.txt"]],
    [{ pattern: "foo\nbar", fixed_strings: true }, ["b.py", "crlf.txt"]],
    [{ pattern: "foo.*bar", multiline: true }, ["a.ts", "b.py", "crlf.txt"]],
    [{ pattern: "bar.foo" }, []],
    [{ pattern: "foo", path: "src" }, ["src/c.test.ts", "src/deep/c.ts"]],
    [{ pattern: "foo", path: "b.py", glob: "*.ts" }, ["b.py"]],
  ];
  for (const [input, files] of cases) {
    const { data } = await succeed(tool, { output_mode: "files", ...input }, folder);
    assert.deepEqual((data as { files?: string[] }).files ?? [], files, JSON.stringify(input));
  }
});

test("what git ignores is left out, also when a glob names it; told to, it is searched [C1]", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  await makeFiles(folder, {
    ".git/config": "needle\n",
    ".gitignore": "*.log\nnode_modules/\n",
    ".ignore": "*.md\n",
    ".hidden/a.txt": "needle\n",
    "a.log": "needle\n",
    "b.md": "needle\n",
    "node_modules/c.js": "needle\n",
    "sub/.gitignore": "!d.log\n",
    "sub/d.log": "needle\n",
  });
  const search = async (input: object): Promise<unknown> =>
    ((await succeed(tool, { pattern: "needle", output_mode: "files", ...input }, folder)).data as { files?: string[] })
      .files ?? [];
  assert.deepEqual(await search({}), [".hidden/a.txt", "b.md", "sub/d.log"]);
  assert.deepEqual(await search({ glob: "*.log" }), ["sub/d.log"]);
  assert.deepEqual(await search({ glob: "**" }), [".hidden/a.txt", "b.md", "sub/d.log"]);
  assert.deepEqual(await search({ path: "node_modules" }), ["node_modules/c.js"]);
  assert.deepEqual(await search({ include_ignored: true }), [
    ".hidden/a.txt",
    "a.log",
    "b.md",
    "node_modules/c.js",
    "sub/d.log",
  ]);
  assert.deepEqual(await search({ path: ".git" }), [".git/config"]);
  const found = (await succeed(globTool, { pattern: "**" }, folder)).data as { files: string[] };
  const searched = (await succeed(tool, { pattern: "$", output_mode: "files" }, folder)).data as { files: string[] };
  const withText = found.files.filter((file) => file !== ".keep").toSorted();
  assert.deepEqual(searched.files, withText);
});

test("a pattern or type that is not valid is refused in ripgrep's words, in one sentence [E6]", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  const cases: [input: object, errorType: string, error: RegExp][] = [
    [{ pattern: "foo(" }, "pattern", /unclosed group/],
    [{ pattern: "[z-a]" }, "pattern", /invalid character class range/],
    [{ pattern: "(?=x)" }, "pattern", /look-around/],
    [{ pattern: "(a)\\1" }, "pattern", /backreference/],
    [{ pattern: "a{1000}{1000}{1000}" }, "pattern", /size limit/],
    [{ pattern: "a\\nb" }, "pattern", /literal/],
    [{ pattern: "a\0b" }, "pattern", /NUL/],
    [{ pattern: "a", type: "nonsense" }, "invalid_input", /nonsense/],
    [{ pattern: "a", type: "a\0b" }, "invalid_input", /not the name of a language/],
    [{ pattern: "a", type: "--pre=sh" }, "invalid_input", /not the name of a language/],
    [{ pattern: "a", glob: "../*" }, "pattern", /leaves the folder/],
    [{ pattern: "a", path: ".." }, "access", /outside/],
    [{ pattern: "a", path: "missing" }, "not_found", /does not exist/],
  ];
  for (const [input, errorType, error] of cases) {
    const failed = await fail(tool, input, folder);
    assert.equal(failed.errorType, errorType, JSON.stringify([input, failed]));
    assert.match(failed.error, error);
    assert(failed.hint);
  }
  for (const input of [
    {},
    { pattern: "" },
    { pattern: 1 },
    { pattern: "a", output_mode: "all" },
    { pattern: "a", limit: 0 },
  ]) {
    assert(!tool.check(input).ok, JSON.stringify(input));
  }
});

test("links are not followed, pipes are refused, odd names stay one line", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  await makeFiles(folder, { "../outside.txt": "needle\n", "two\nlines": "needle\n", "-dash": "needle\n" });
  await symlink("../outside.txt", join(folder, "out"));
  await symlink("..", join(folder, "up"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  assert.equal(
    (await succeed(tool, { pattern: "needle" }, folder)).output,
    '-dash\n1:needle\n\n"two\\nlines"\n1:needle',
  );
  assert.equal((await succeed(tool, { pattern: "needle", path: "-dash" }, folder)).output, "-dash\n1:needle");
  assert.equal((await fail(tool, { pattern: "needle", path: "out" }, folder)).errorType, "access");
  assert.equal((await fail(tool, { pattern: "needle", path: "up" }, folder)).errorType, "access");
  assert.equal((await fail(tool, { pattern: "needle", path: "pipe" }, folder)).errorType, "not_a_file");
});

test("a search stops when its signal fires, and leaves nothing in the run folder", withRg, async (t) => {
  const { tool, folder, runFolder } = await openBench(t);
  await makeFiles(folder, { "a.txt": "text\n".repeat(1_000_000) });
  const controller = new AbortController();
  const searching = runTool(
    tool,
    { pattern: "(?i)[a-z]{3,9}x|q", output_mode: "count" },
    contextIn(folder, controller.signal),
  );
  setImmediate(() => controller.abort());
  const result = await searching;
  assert(!result.ok && result.errorType === "cancelled", JSON.stringify(result));
  assert.deepEqual(await readdir(runFolder), []);
});

test("when ripgrep can't be started the failure says what to do", async (t) => {
  const { folder } = await openBench(t);
  const nothing = { path: "", bytes: 0, emptied: false, lostBytes: 0 };
  const tool = createGrepTool({
    runCommand: () =>
      Promise.resolve({
        exitCode: null,
        killedBy: null,
        stoppedBy: null,
        stdout: nothing,
        stderr: nothing,
        diskFull: false,
        stop: null,
        sandbox: null,
        explain: () => null,
        startError: { code: "ENOENT", message: "no such program" },
        discard: () => Promise.resolve(),
      }),
  });
  const failed = await fail(tool, { pattern: "x" }, folder);
  assert.deepEqual([failed.errorType, failed.error], ["spawn", "ripgrep could not be started (no such program)."]);
  assert.match(failed.hint ?? "", /@vscode\/ripgrep/);
});

test(
  "files of secrets are searched only when they are named, and what is in them changes no answer [G1]",
  withRg,
  async (t) => {
    const { tool, folder } = await openBench(t);
    await makeFiles(folder, {
      ".env": "needle=1\n",
      ".env.example": "needle=\n",
      "keys/server.pem": "needle\n",
      "keys/id_rsa": "needle\n",
      "a.txt": "other\n",
    });
    for (const include_ignored of [false, true]) {
      const found = await succeed(tool, { pattern: "needle", include_ignored, output_mode: "files" }, folder);
      assert.equal(found.output, ".env.example");
    }
    const nothing = await succeed(tool, { pattern: "needle=1" }, folder);
    assert.deepEqual(nothing.output.replace("needle=1", "X"), (await succeed(tool, { pattern: "X" }, folder)).output);
    const named = await succeed(tool, { pattern: "needle", path: ".env" }, folder);
    assert.equal(named.output, ".env\n1:needle=1");
    const missing = await succeed(tool, { pattern: "zzz", path: ".env", include_ignored: true }, folder);
    assert.equal(missing.output, "No matches for zzz.");
  },
);

test("what was written a moment ago is found [C1]", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  await makeFiles(folder, { "src/deep/a.txt": "needle 1\nneedle 2\n", "b.txt": "needle 3\n" });
  const content = await succeed(tool, { pattern: "needle" }, folder);
  assert.equal(content.output, "b.txt\n1:needle 3\n\nsrc/deep/a.txt\n1:needle 1\n2:needle 2");
  await makeFiles(folder, { "src/new.txt": "needle 4\n" });
  const counts = await succeed(tool, { pattern: "needle", output_mode: "count" }, folder);
  assert.deepEqual(counts.data, {
    counts: [
      { path: "b.txt", count: 1 },
      { path: "src/deep/a.txt", count: 2 },
      { path: "src/new.txt", count: 1 },
    ],
    total_matches: 4,
    total_files: 3,
    truncated: false,
  });
});
