import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { listFilesTool } from "../../src/tools/search/list-files.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { fail, makeFiles, succeed } from "./run-tool.ts";

test("a folder is shown as a tree with sizes, links and what is left out [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, {
    ".git/config": "",
    ".gitignore": "node_modules/\n*.log\n",
    "README.md": "x".repeat(1234),
    "node_modules/a/b.js": "",
    "src/deep/er/x.ts": "",
    "src/main.ts": "12345",
    "src/trace.log": "",
  });
  await mkdir(join(folder, "empty"));
  await symlink("src/main.ts", join(folder, "link"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  const { output, data } = await succeed(listFilesTool, {}, folder);
  assert.equal(
    output,
    [
      ".gitignore  20 B",
      "README.md  1.2 kB",
      "empty/",
      "link -> src/main.ts",
      "pipe  (a pipe, socket or device)",
      "src/",
      "  deep/",
      "  main.ts  5 B",
      "[Ignored by git and left out: node_modules/, src/trace.log.]",
    ].join("\n"),
  );
  assert.deepEqual(data, {
    path: ".",
    entries: [
      { path: ".gitignore", kind: "file", bytes: 20 },
      { path: "README.md", kind: "file", bytes: 1234 },
      { path: "empty", kind: "folder", bytes: null },
      { path: "link", kind: "link", bytes: null },
      { path: "pipe", kind: "other", bytes: null },
      { path: "src", kind: "folder", bytes: null },
      { path: "src/deep", kind: "folder", bytes: null },
      { path: "src/main.ts", kind: "file", bytes: 5 },
    ],
    truncated: false,
  });
  const all = await succeed(listFilesTool, { include_ignored: true, depth: 1 }, folder);
  assert.equal(
    all.output,
    ".git/\n.gitignore  20 B\nREADME.md  1.2 kB\nempty/\nlink -> src/main.ts\nnode_modules/\npipe  (a pipe, socket or device)\nsrc/",
  );
  assert.equal(
    (await succeed(listFilesTool, { path: "src", depth: 5 }, folder)).output,
    "deep/\n  er/\n    x.ts  0 B\nmain.ts  5 B\n[Ignored by git and left out: trace.log.]",
  );
  assert.equal((await succeed(listFilesTool, { path: "empty" }, folder)).output, "empty has no entries.");
});

test("a limit keeps what is nearest to the top, the same each time, and says so", async (t) => {
  const folder = await temporaryFolder(t);
  const deep = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`a/${index}`, ""]));
  await makeFiles(folder, { ...deep, "b/x": "", "c.txt": "" });
  const { output, data } = await succeed(listFilesTool, { limit: 5 }, folder);
  assert.equal(
    output,
    "a/\n  0  0 B\n  1  0 B\nb/\nc.txt  0 B\n[Only the first 5 entries. Use a smaller depth, a folder below, or a larger limit.]",
  );
  assert.equal((data as { truncated: boolean }).truncated, true);
  assert.equal((data as { entries: unknown[] }).entries.length, 5);
});

test("a place that can't be listed is refused with a sentence [E6]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "a.txt": "" });
  const cases = { "a.txt": "not_directory", "b.txt": "not_found", "..": "access", "/": "access", "": "invalid_input" };
  for (const [path, errorType] of Object.entries(cases)) {
    assert.equal((await fail(listFilesTool, { path }, folder)).errorType, errorType, path);
  }
});
