import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { editTool } from "../../src/tools/files/edit.ts";
import { globTool } from "../../src/tools/search/glob.ts";
import { listFilesTool } from "../../src/tools/search/list-files.ts";
import { readTool } from "../../src/tools/files/read.ts";
import { writeTool } from "../../src/tools/files/write.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openBench, withRg } from "./grep-bench.ts";
import { fail, makeFiles, succeed } from "./run-tool.ts";

const own = {
  ".deckhand/.gitignore": "*\n",
  ".deckhand/deckhand.db": "needle\n",
  ".deckhand/outputs/o.txt": "needle\n",
};

test("write and edit change nothing in Deckhand's own folder, by whatever way it is named [G1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { ...own, "a/b.txt": "" });
  await symlink(".deckhand", join(folder, "link"));
  await symlink("../.deckhand/deckhand.db", join(folder, "a/store"));
  const ways = [
    ".deckhand/deckhand.db",
    "./a/../.deckhand//deckhand.db",
    join(folder, ".deckhand/deckhand.db"),
    "link/deckhand.db",
    "a/store",
    ".deckhand/new/deep.txt",
    ".deckhand",
    "link",
  ];
  for (const file_path of ways) {
    const written = await fail(writeTool, { file_path, content: "x" }, folder);
    const edited = await fail(editTool, { file_path, old_string: "needle", new_string: "x" }, folder);
    const error = `${file_path} belongs to Deckhand's own records, which no tool may change.`;
    for (const { errorType, error: said } of [written, edited]) assert.deepEqual([errorType, said], ["access", error]);
  }
  assert.equal(await readFile(join(folder, ".deckhand/deckhand.db"), "utf8"), "needle\n");
  const preview = await writeTool.preview?.(
    { file_path: ".deckhand/deckhand.db", content: "x" },
    { workdir: folder, signal: new AbortController().signal },
  );
  assert.match(preview?.text ?? "", /own records/);
});

test("Deckhand's own folder is protected where it is a link, and before it is there [G1]", async (t) => {
  const folder = await temporaryFolder(t);
  assert.equal((await fail(writeTool, { file_path: ".deckhand", content: "" }, folder)).errorType, "access");
  await mkdir(join(folder, "records"));
  await writeFile(join(folder, "records/deckhand.db"), "x");
  await symlink("records", join(folder, ".deckhand"));
  for (const file_path of [".deckhand/deckhand.db", "records/deckhand.db"]) {
    assert.equal((await fail(writeTool, { file_path, content: "" }, folder)).errorType, "access", file_path);
  }
  await succeed(writeTool, { file_path: ".deckhand-notes/a", content: "" }, folder);
  await succeed(writeTool, { file_path: "records.txt", content: "" }, folder);
});

test("what Deckhand keeps can be read, and is listed and found only when it is asked for [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { ...own, "a.txt": "needle\n" });
  assert.equal((await succeed(readTool, { file_path: ".deckhand/outputs/o.txt" }, folder)).output, "1\tneedle");
  for (const include_ignored of [false, true]) {
    assert.equal((await succeed(listFilesTool, { include_ignored, depth: 5 }, folder)).output, "a.txt  7 B");
    assert.equal((await succeed(globTool, { include_ignored, pattern: "**" }, folder)).output, "a.txt");
  }
  assert.equal(
    (await succeed(listFilesTool, { path: ".deckhand" }, folder)).output,
    ".gitignore  2 B\ndeckhand.db  7 B\noutputs/\n  o.txt  7 B",
  );
  const found = await succeed(globTool, { path: ".deckhand/outputs", pattern: "*" }, folder);
  assert.equal(found.output, ".deckhand/outputs/o.txt");
});

test("grep leaves out what Deckhand keeps, unless it is asked for [C1]", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  await makeFiles(folder, { ...own, "a.txt": "needle\n" });
  for (const include_ignored of [false, true]) {
    assert.equal((await succeed(tool, { pattern: "needle", include_ignored }, folder)).output, "a.txt\n1:needle");
  }
  const inside = ".deckhand/outputs/o.txt\n1:needle";
  for (const path of [".deckhand/outputs", ".deckhand/outputs/o.txt"]) {
    assert.equal((await succeed(tool, { pattern: "needle", path }, folder)).output, inside, path);
  }
  const both = await succeed(tool, { pattern: "needle", path: ".deckhand", output_mode: "files" }, folder);
  assert.equal(both.output, ".deckhand/deckhand.db\n.deckhand/outputs/o.txt");
});
