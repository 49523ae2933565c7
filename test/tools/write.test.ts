import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { readTool } from "../../src/tools/files/read.ts";
import { writeTool } from "../../src/tools/files/write.ts";
import { count } from "../support/counts.ts";
import { lane } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { mountTmpfs, remount, tmpfsAvailable } from "../support/tmpfs.ts";
import { contextIn, fail, makeFiles, runTool, succeed } from "./run-tool.ts";

test("a new file is made with its folders, and the result says so [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const done = await succeed(writeTool, { file_path: "a/b/c.txt", content: "one\ntwo" }, folder);
  assert.deepEqual(done, {
    ok: true,
    output: "Created a/b/c.txt (2 lines, 7 B).",
    data: { file_path: "a/b/c.txt", created: true, bytes: 7, lines: 2 },
    files: [join(folder, "a/b/c.txt")],
  });
  assert.equal(await readFile(join(folder, "a/b/c.txt"), "utf8"), "one\ntwo");
  assert.equal((await stat(join(folder, "a/b/c.txt"))).mode & 0o777, 0o666 & ~process.umask());
});

test("an overwritten file keeps its mode without set-id bits, its owner and the link that leads to it [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "run.sh": "old" });
  await chmod(join(folder, "run.sh"), 0o7755);
  if (process.getuid?.() === 0) {
    await chown(join(folder, "run.sh"), 65534, 65534);
    await chmod(join(folder, "run.sh"), 0o7755);
  }
  await symlink("run.sh", join(folder, "link"));
  const before = await stat(join(folder, "run.sh"));
  const done = await succeed(writeTool, { file_path: "link", content: "new\n" }, folder);
  assert.equal(
    done.output,
    "Overwrote link (1 line, 4 B).\n--- a/link\n+++ b/link\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n",
  );
  const after = await stat(join(folder, "run.sh"));
  assert.equal(before.mode & 0o7777, 0o7755);
  assert.deepEqual([after.mode & 0o7777, after.uid, after.gid], [0o1755, before.uid, before.gid]);
  assert.equal(await readlink(join(folder, "link")), "run.sh");
  assert.equal(await readFile(join(folder, "run.sh"), "utf8"), "new\n");
});

test("a link that leads nowhere yet gets its target made, inside the workdir only [G1]", async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "work"));
  await symlink("made.txt", join(folder, "work/in"));
  await symlink("../stolen.txt", join(folder, "work/out"));
  await succeed(writeTool, { file_path: "in", content: "x" }, join(folder, "work"));
  assert.equal(await readFile(join(folder, "work/made.txt"), "utf8"), "x");
  assert.equal((await fail(writeTool, { file_path: "out", content: "x" }, join(folder, "work"))).errorType, "access");
  assert.deepEqual((await readdir(folder)).toSorted(), ["work"]);
});

test("content is written exactly; what that changes in the form of the file is said", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, {
    "crlf.txt": "\uFEFFa\r\nb\r\n",
    "utf16.txt": Buffer.from("\uFEFFa", "utf16le"),
    "linked.txt": "a",
  });
  await link(join(folder, "linked.txt"), join(folder, "other-name.txt"));
  const crlf = await succeed(writeTool, { file_path: "crlf.txt", content: "a\nb\n" }, folder);
  assert.match(crlf.output, /\nThe byte order mark is gone\.\nLine endings changed from CRLF to LF\.\n---/);
  assert.deepEqual(await readFile(join(folder, "crlf.txt")), Buffer.from("a\nb\n"));
  const utf16 = await succeed(writeTool, { file_path: "utf16.txt", content: "a" }, folder);
  assert.match(utf16.output, /\nThe encoding changed from UTF-16LE to UTF-8\.\n/);
  const linked = await succeed(writeTool, { file_path: "linked.txt", content: "b" }, folder);
  assert.match(linked.output, /hard links/);
  assert.equal(await readFile(join(folder, "other-name.txt"), "utf8"), "a");
});

test("what can't be written is refused with the reason, and nothing is left behind [E6]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "file.txt": "x", "dir/inner.txt": "x" });
  execFileSync("mkfifo", [join(folder, "pipe")]);
  const cases: [path: string, content: string, errorType: string][] = [
    ["dir", "x", "is_directory"],
    [".", "x", "is_directory"],
    ["new-dir/", "x", "is_directory"],
    ["file.txt/below", "x", "not_directory"],
    ["pipe", "x", "not_a_file"],
    ["../out.txt", "x", "access"],
    ["surrogate.txt", "a\ud800b", "encoding"],
    ["", "x", "invalid_input"],
  ];
  const before = await tree(folder);
  for (const [file_path, content, errorType] of cases) {
    const failed = await fail(writeTool, { file_path, content }, folder);
    assert.equal(failed.errorType, errorType, file_path);
    assert(failed.hint);
  }
  assert.deepEqual(await tree(folder), before);
});

test("write, then read, gives the text back [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const line = fc
    .string({ unit: "grapheme", maxLength: 60 })
    .filter((text) => !/[\n\r\0]/.test(text) && printable(text));
  const property = fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 30 }), async (lines) => {
    const content = lines.join("\n");
    await succeed(writeTool, { file_path: "f", content }, folder);
    assert.equal(await readFile(join(folder, "f"), "utf8"), content);
    const { output } = await succeed(readTool, { file_path: "f" }, folder);
    const expected = content.endsWith("\n") || content === "" ? lines.slice(0, -1) : lines;
    const withoutMark = expected.map((text, index) => (index === 0 ? text.replace(/^\uFEFF/, "") : text));
    const shown = withoutMark.map((text, index) => `${index + 1}\t${text}`).join("\n");
    assert.equal(output, content.replace(/^\uFEFF/, "") === "" ? "[The file is empty.]" : shown);
  });
  await fc.assert(property, { numRuns: count({ quick: 100, full: 2000 }) });
});

test("of 100 writers to one file one whole content stays, and no temporary file", async (t) => {
  const folder = await temporaryFolder(t);
  const contents = Array.from({ length: 100 }, (_, index) => `${index}\n`.repeat(20_000));
  await Promise.all(contents.map((content) => succeed(writeTool, { file_path: "f", content }, folder)));
  assert(contents.includes(await readFile(join(folder, "f"), "utf8")));
  assert.deepEqual(await readdir(folder), ["f"]);
});

test("a kill in the middle of writing leaves the old content or the new, and the next write tidies up [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const fixture = join(import.meta.dirname, "../fixtures/tools/writes-forever.ts");
  for (let round = 0; round < count({ quick: 6, full: 60 }); round++) {
    const writer = spawn(process.execPath, [fixture, folder], { stdio: ["ignore", "pipe", "inherit"] });
    let written = 0;
    for await (const piece of writer.stdout) {
      written += String(piece).split("\n").length - 1;
      if (written > round) writer.kill("SIGKILL");
    }
    const content = await readFile(join(folder, "target.txt"), "utf8");
    assert.equal(content.length, 1_000_000);
    assert(content === content[0]!.repeat(1_000_000));
  }
  execFileSync(process.execPath, [fixture, folder, "1"]);
  assert.deepEqual(await readdir(folder), ["target.txt"]);
});

test("a temporary file of a process that is gone is removed, one of a living process stays", async (t) => {
  const folder = await temporaryFolder(t);
  const gone = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => gone.once("exit", resolve));
  const stale = `.deckhand-${gone.pid}-0123456789ab.tmp`;
  const alive = `.deckhand-${process.ppid}-0123456789ab.tmp`;
  await makeFiles(folder, { [stale]: "x", [alive]: "x", ".deckhand-notes.tmp": "x" });
  await succeed(writeTool, { file_path: "f", content: "x" }, folder);
  assert.deepEqual((await readdir(folder)).toSorted(), [".deckhand-notes.tmp", alive, "f"].toSorted());
});

test("a full disk leaves the old content and no temporary file [C1]", lane("tmpfs", tmpfsAvailable()), async (t) => {
  const disk = mountTmpfs(t, "1m");
  await makeFiles(disk, { "kept.txt": "the old content" });
  const failed = await fail(writeTool, { file_path: "kept.txt", content: "x".repeat(2_000_000) }, disk);
  assert.deepEqual(
    [failed.errorType, failed.error],
    ["disk_full", "kept.txt was left as it was: the disk or the quota is full."],
  );
  assert.equal(
    (await fail(writeTool, { file_path: "a/b/new.txt", content: "x".repeat(2_000_000) }, disk)).errorType,
    "disk_full",
  );
  assert.equal(await readFile(join(disk, "kept.txt"), "utf8"), "the old content");
  assert.deepEqual(await readdir(disk), ["kept.txt"]);
  assert((await succeed(writeTool, { file_path: "kept.txt", content: "fits" }, disk)).ok);
});

test("a read-only file system is refused with a sentence [E6]", lane("tmpfs", tmpfsAvailable()), async (t) => {
  const disk = mountTmpfs(t, "1m");
  await makeFiles(disk, { "a.txt": "old" });
  remount(disk, "ro");
  for (const file_path of ["a.txt", "new.txt", "new/deep.txt"]) {
    const failed = await fail(writeTool, { file_path, content: "new" }, disk);
    assert.deepEqual([failed.errorType, /read-only/.test(failed.error)], ["access", true], file_path);
  }
});

test("a cancelled write changes nothing", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { f: "old" });
  const controller = new AbortController();
  const writing = runTool(
    writeTool,
    { file_path: "f", content: "x".repeat(50_000_000) },
    contextIn(folder, controller.signal),
  );
  setImmediate(() => controller.abort());
  const result = await writing;
  assert(!result.ok && result.errorType === "cancelled");
  assert.equal(await readFile(join(folder, "f"), "utf8"), "old");
  assert.deepEqual(await readdir(folder), ["f"]);
});

test("the preview shows the difference that writing would make", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "a.txt": "one\ntwo\n", "b.bin": Buffer.from("a\0b"), "dir/x": "" });
  await writeFile(join(folder, "huge"), "");
  await truncate(join(folder, "huge"), 5 * 1024 ** 3);
  const preview = (file_path: string, content: string) =>
    writeTool.preview!({ file_path, content }, { workdir: folder, signal: new AbortController().signal });
  assert.deepEqual(await preview("a.txt", "one\n2\n"), {
    text: "Change a.txt (8 B → 6 B, 2 lines).",
    diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
  });
  assert.deepEqual(await preview("new.txt", "one"), {
    text: "Create new.txt (3 B, 1 line).",
    diff: "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n",
  });
  assert.deepEqual(await preview("a.txt", "one\ntwo\n"), { text: "Change a.txt (8 B → 8 B, 2 lines): same content." });
  assert.deepEqual(await preview("b.bin", "x"), {
    text: "Replace b.bin, now a binary file, with 1 B, 1 line of text.",
  });
  assert.deepEqual(await preview("huge", "x"), { text: "Replace all of huge (5.4 GB)." });
  assert.deepEqual(await preview("dir", "x"), { text: "dir is a directory, not a file." });
  assert.deepEqual(await preview("../x", "x"), { text: "../x is outside the workdir." });
});

async function tree(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const described = entries.map(async (entry) => `${entry} ${(await lstat(join(folder, entry))).mtimeMs}`);
  return (await Promise.all(described)).toSorted();
}

/** What `read` shows as text: it calls files with many control characters binary. */
function printable(text: string): boolean {
  return !/[\p{Cc}]/u.test(text.replaceAll("\t", "")) && text.isWellFormed();
}
