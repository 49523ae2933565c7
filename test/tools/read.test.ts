import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, open, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { readTool } from "../../src/tools/files/read.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { contextIn, fail, makeFiles, runTool, succeed } from "./run-tool.ts";

test("lines come with their number and a tab, in the range that was asked for [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "a.txt": "one\n\n\tthree\nfour" });
  const cases: [input: object, output: string][] = [
    [{}, "1\tone\n2\t\n3\t\tthree\n4\tfour"],
    [{ offset: 3 }, "3\t\tthree\n4\tfour"],
    [{ offset: 0, limit: 1 }, "1\tone\n[Lines 1-1 of 4. Continue with offset=2.]"],
    [{ offset: 2, limit: 2 }, "2\t\n3\t\tthree\n[Lines 2-3 of 4. Continue with offset=4.]"],
    [{ offset: 4, limit: 9 }, "4\tfour"],
  ];
  for (const [input, output] of cases) {
    assert.equal((await succeed(readTool, { file_path: "a.txt", ...input }, folder)).output, output);
  }
  const { data } = await succeed(readTool, { file_path: "./a.txt", offset: 2, limit: 2 }, folder);
  assert.deepEqual(data, {
    file_path: "a.txt",
    start_line: 2,
    lines: 2,
    total_lines: 4,
    bytes: 16,
    truncated: true,
    encoding: "utf-8",
    line_ending: "lf",
  });
});

test("an empty file says so, and an offset past the end says how many lines there are", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { empty: "", "three.txt": "1\n2\n3\n" });
  assert.equal((await succeed(readTool, { file_path: "empty" }, folder)).output, "[The file is empty.]");
  assert.equal((await succeed(readTool, { file_path: "three.txt" }, folder)).output, "1\t1\n2\t2\n3\t3");
  const failed = await fail(readTool, { file_path: "three.txt", offset: 4 }, folder);
  assert.equal(failed.error, "three.txt has 3 lines; offset 4 is past its end.");
  assert.equal(failed.errorType, "invalid_input");
});

test("a long file is cut at 2,000 lines or 100 kB, and the notes lead through all of it [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1} ${"x".repeat(index % 80)}`);
  await makeFiles(folder, { "long.txt": `${lines.join("\n")}\n` });
  const seen: string[] = [];
  let offset: number | undefined = 1;
  while (offset !== undefined) {
    const output: string = (await succeed(readTool, { file_path: "long.txt", offset }, folder)).output;
    assert(Buffer.byteLength(output) < 125_000);
    seen.push(...output.split("\n").filter((line) => !line.startsWith("[")));
    const next: string | undefined = /offset=(\d+)/.exec(output)?.[1];
    offset = next === undefined ? undefined : Number(next);
  }
  assert.deepEqual(
    seen,
    lines.map((line, index) => `${index + 1}\t${line}`),
  );
});

test("a long line is cut at 2,000 characters without breaking one, and the note says where", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "wide.txt": `short\n${"é".repeat(1999)}😀😀\n${"z".repeat(2000)}\n` });
  const { output } = await succeed(readTool, { file_path: "wide.txt" }, folder);
  const [, second, third, note] = output.split("\n");
  assert.equal(second, `2\t${"é".repeat(1999)}… [cut]`);
  assert.equal(third, `3\t${"z".repeat(2000)}`);
  assert.equal(note, "[Line 2 was cut at 2,000 characters. Find text in long lines with grep.]");
});

test("encodings and line endings are shown as text and named [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const utf16 = Buffer.from("\uFEFFgrüß\r\ngott\r\n", "utf16le");
  await makeFiles(folder, {
    "bom.txt": "\uFEFFgrüß\n",
    "crlf.txt": "a\r\nb\r\n",
    "le.txt": utf16,
    "be.txt": Buffer.from(utf16).swap16(),
    "latin.txt": Buffer.from("gr\xfc\xdf\nok\n", "latin1"),
    "replacement.txt": "a genuine \uFFFD\n",
  });
  const cases: [name: string, output: string][] = [
    ["bom.txt", "1\tgrüß"],
    ["crlf.txt", "1\ta\n2\tb\n[Line endings: CRLF; edit keeps them.]"],
    ["le.txt", "1\tgrüß\n2\tgott\n[Encoding: UTF-16LE; edit keeps it.]\n[Line endings: CRLF; edit keeps them.]"],
    ["be.txt", "1\tgrüß\n2\tgott\n[Encoding: UTF-16BE; edit keeps it.]\n[Line endings: CRLF; edit keeps them.]"],
    ["latin.txt", "1\tgr\uFFFD\uFFFD\n2\tok\n[Bytes that are not UTF-8 are shown as \uFFFD; edit keeps them.]"],
    ["replacement.txt", "1\ta genuine \uFFFD"],
  ];
  for (const [name, output] of cases) {
    assert.equal((await succeed(readTool, { file_path: name }, folder)).output, output, name);
  }
});

test("a binary file is refused with what it is and its size [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, {
    "a.png": Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"),
    "b.jpg": Buffer.from("\xff\xd8\xff\xe0\0\x10JFIF", "latin1"),
    "c.gz": Buffer.from("\x1f\x8b\x08abc", "latin1"),
    "d.bin": Buffer.from("text\0text"),
    "e.utf32": Buffer.from("\xff\xfe\0\0a\0\0\0", "latin1"),
    "f.bin": Buffer.from("\x01\x02\x03\x04ab", "latin1"),
  });
  const cases: [name: string, error: string][] = [
    ["a.png", "a.png is a PNG image (16 B), not text."],
    ["b.jpg", "b.jpg is a JPEG image (10 B), not text."],
    ["c.gz", "c.gz is a gzip archive (6 B), not text."],
    ["d.bin", "d.bin is a binary file (9 B), not text."],
    ["e.utf32", "e.utf32 is a binary file (8 B), not text."],
    ["f.bin", "f.bin is a binary file (6 B), not text."],
  ];
  for (const [name, error] of cases) {
    const failed = await fail(readTool, { file_path: name }, folder);
    assert.deepEqual([failed.error, failed.errorType], [error, "binary"]);
  }
  await makeFiles(folder, { "gif.txt": "GIF89a is how a GIF begins.\n", "esc.log": "\x1b[31mred\x1b[0m\n" });
  assert((await succeed(readTool, { file_path: "gif.txt" }, folder)).ok);
  assert((await succeed(readTool, { file_path: "esc.log" }, folder)).ok);
});

test("a missing file names what is like it; a folder names the tool for it [E6]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "src/reader.ts": "x" });
  const missing = await fail(readTool, { file_path: "src/raeder.ts" }, folder);
  assert.deepEqual([missing.errorType, missing.hint], ["not_found", "Did you mean src/reader.ts?"]);
  const nowhere = await fail(readTool, { file_path: "lib/reader.ts" }, folder);
  assert.match(nowhere.hint ?? "", /lib does not exist either/);
  const directory = await fail(readTool, { file_path: "src" }, folder);
  assert.deepEqual([directory.errorType, directory.error], ["is_directory", "src is a directory, not a file."]);
  assert.match(directory.hint ?? "", /list_files/);
  assert.equal((await fail(readTool, { file_path: "src/reader.ts/x" }, folder)).errorType, "not_directory");
});

test("a pipe, a socket and a link to one are refused at once, without waiting for the other end", async (t) => {
  const folder = await temporaryFolder(t);
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await symlink("pipe", join(folder, "link"));
  const server = createServer().listen(join(folder, "socket"));
  t.after(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  for (const name of ["pipe", "link", "socket"]) {
    assert.equal((await fail(readTool, { file_path: name }, folder)).errorType, "not_a_file", name);
  }
});

test("a file of 5 GB, also in one line, costs what is shown of it [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const gigabytes = 5 * 1024 ** 3;
  await writeFile(join(folder, "log"), "first\nsecond\nthird\n".padEnd(20_000, "text\n"));
  await truncate(join(folder, "log"), gigabytes);
  const handle = await open(join(folder, "one-line"), "w");
  await handle.write("x".repeat(3_000_000), 0);
  await handle.truncate(gigabytes);
  await handle.close();
  const rssBefore = process.memoryUsage.rss();
  const log = await succeed(readTool, { file_path: "log", limit: 2 }, folder);
  assert.equal(log.output, "1\tfirst\n2\tsecond\n[Lines 1-2 of a file of 5.4 GB. Continue with offset=3.]");
  const oneLine = await succeed(readTool, { file_path: "one-line" }, folder);
  assert.match(oneLine.output, /^1\tx{2000}… \[cut\]\n\[Line 1 is longer than 1 MB; what follows was not looked for\./);
  assert(process.memoryUsage.rss() - rssBefore < 50_000_000);
});

test("a read stops when its signal fires", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "huge"), "text\n".repeat(2000));
  await truncate(join(folder, "huge"), 20 * 1024 ** 3);
  const controller = new AbortController();
  const reading = runTool(readTool, { file_path: "huge", offset: 1e9 }, contextIn(folder, controller.signal));
  setImmediate(() => controller.abort());
  const result = await reading;
  assert(!result.ok && result.errorType === "cancelled");
});

test("a link is followed inside the workdir and refused outside of it [G1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "work/a.txt": "inside", "secret.txt": "outside" });
  await mkdir(join(folder, "work/sub"));
  await symlink("../a.txt", join(folder, "work/sub/in"));
  await symlink("../../secret.txt", join(folder, "work/sub/out"));
  const work = join(folder, "work");
  assert.equal((await succeed(readTool, { file_path: "sub/in" }, work)).output, "1\tinside");
  const failed = await fail(readTool, { file_path: "sub/out" }, work);
  assert.deepEqual([failed.errorType, failed.error], ["access", "sub/out is outside the workdir."]);
});
