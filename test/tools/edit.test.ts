import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { chmod, readdir, readFile, readlink, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { ToolResult } from "../../src/core/tool.ts";
import { editTool } from "../../src/tools/files/edit.ts";
import { count } from "../support/counts.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { contextIn, fail, makeFiles, runTool, succeed } from "./run-tool.ts";

test("the text is replaced, and the result shows the change with its line numbers [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "a.ts": "const a = 1;\nconst b = 2;\nconst c = 3;\n" });
  const done = await succeed(editTool, { file_path: "a.ts", old_string: "b = 2", new_string: "b = 20" }, folder);
  assert.deepEqual(done, {
    ok: true,
    output:
      "Edited a.ts: 1 replacement.\n--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n const a = 1;\n-const b = 2;\n+const b = 20;\n const c = 3;\n",
    data: { file_path: "a.ts", replacements: 1, bytes: 40 },
    files: [join(folder, "a.ts")],
  });
  assert.equal(await readFile(join(folder, "a.ts"), "utf8"), "const a = 1;\nconst b = 20;\nconst c = 3;\n");
});

test("a text that is there more than once needs replace_all, and the failure names the lines [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { f: "x\ny\nx\nz\nx\n", overlap: "aaa" });
  const failed = await fail(editTool, { file_path: "f", old_string: "x", new_string: "w" }, folder);
  assert.deepEqual([failed.errorType, failed.error], ["not_unique", "old_string occurs 3 times in f: line 1, 3, 5."]);
  assert.match(failed.hint ?? "", /replace_all/);
  assert.equal(
    (await fail(editTool, { file_path: "overlap", old_string: "aa", new_string: "b" }, folder)).errorType,
    "not_unique",
  );
  const done = await succeed(editTool, { file_path: "f", old_string: "x", new_string: "w", replace_all: true }, folder);
  assert.match(done.output, /^Edited f: 3 replacements\./);
  assert.equal(await readFile(join(folder, "f"), "utf8"), "w\ny\nw\nz\nw\n");
  await succeed(editTool, { file_path: "overlap", old_string: "aa", new_string: "b", replace_all: true }, folder);
  assert.equal(await readFile(join(folder, "overlap"), "utf8"), "ba");
});

test("dollar signs and backslashes of the new text are taken as they are", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { f: "price: X\n" });
  await succeed(editTool, { file_path: "f", old_string: "X", new_string: "$& $1 \\n $$" }, folder);
  assert.equal(await readFile(join(folder, "f"), "utf8"), "price: $& $1 \\n $$\n");
});

test("line endings, byte order mark and encoding are kept [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const utf16 = (text: string): Buffer => Buffer.from(text, "utf16le");
  const cases: [name: string, before: Buffer, edit: [string, string], after: Buffer][] = [
    ["crlf", Buffer.from("a\r\nb\r\nc\r\n"), ["a\nb", "x\ny\nz"], Buffer.from("x\r\ny\r\nz\r\nc\r\n")],
    ["crlf-one-line", Buffer.from("a\r\nb\r\n"), ["b", "b\nc"], Buffer.from("a\r\nb\r\nc\r\n")],
    ["crlf-from-newline", Buffer.from("a\r\nb\r\nc"), ["\nb", "\nx"], Buffer.from("a\r\nx\r\nc")],
    ["crlf-removed", Buffer.from("a\r\nb\r\nc"), ["\nb", ""], Buffer.from("a\r\nc")],
    ["crlf-until-newline", Buffer.from("a\r\nb\r\nc"), ["b\n", "x\n"], Buffer.from("a\r\nx\r\nc")],
    ["crlf-given", Buffer.from("a\r\nb\r\n"), ["a\r\nb", "x\r\ny"], Buffer.from("x\r\ny\r\n")],
    ["crlf-to-lf", Buffer.from("a\r\nb\r\n"), ["a\r\nb\r\n", "a\nb\n"], Buffer.from("a\nb\n")],
    ["lf-given-crlf", Buffer.from("a\nb\nc\n"), ["a\r\nb", "x\r\ny"], Buffer.from("x\ny\nc\n")],
    ["mixed", Buffer.from("a\r\nb\nc\r\nd\n"), ["a\nb\nc", "x\ny"], Buffer.from("x\r\ny\r\nd\n")],
    ["lone-cr", Buffer.from("a\rb\nc\n"), ["b\nc", "x\ny"], Buffer.from("a\rx\ny\n")],
    ["bom", Buffer.from("\uFEFFa\nb\n"), ["a\n", "x\n"], Buffer.from("\uFEFFx\nb\n")],
    ["utf16le", utf16("\uFEFFa\r\nü\r\n"), ["a\nü", "x\n😀"], utf16("\uFEFFx\r\n😀\r\n")],
    ["utf16be", utf16("\uFEFFaü\n").swap16(), ["ü", "ö"], utf16("\uFEFFaö\n").swap16()],
    // U+0A0D and U+0D0A have the bytes of CR and LF, shifted by one.
    ["utf16-units", utf16("\uFEFF\u0a0d\u0d0a\u610aab"), ["ab", "x\ny"], utf16("\uFEFF\u0a0d\u0d0a\u610ax\ny")],
    [
      "invalid",
      Buffer.from("\xff\xfea\xc3\nb\xe9", "latin1").subarray(1),
      ["b", "x"],
      Buffer.from("\xfea\xc3\nx\xe9", "latin1"),
    ],
  ];
  for (const [name, before, [old_string, new_string], after] of cases) {
    await writeFile(join(folder, name), before);
    await succeed(editTool, { file_path: name, old_string, new_string }, folder);
    assert.deepEqual(await readFile(join(folder, name)), after, name);
  }
});

test("every byte outside the replaced text stays as it was, whatever the file holds [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const noise = fc
    .uint8Array({ maxLength: 60 })
    .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 ? 1 : byte))));
  const property = fc.asyncProperty(noise, noise, fc.string({ unit: "grapheme" }), async (head, tail, text) => {
    fc.pre(text.isWellFormed() && !text.includes("\n"));
    const start = Buffer.concat([Buffer.from("text so that it is no binary file ".repeat(10)), head]);
    await writeFile(join(folder, "f"), Buffer.concat([start, Buffer.from("«needle»"), tail]));
    const edit = { file_path: "f", old_string: "«needle»", new_string: text };
    await succeed(editTool, edit, folder);
    assert.deepEqual(await readFile(join(folder, "f")), Buffer.concat([start, Buffer.from(text), tail]));
  });
  await fc.assert(property, { numRuns: count({ quick: 100, full: 3000 }) });
});

test("an edit of random text equals the same replacement in memory [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "\n", " ", "é"), maxLength: 80 });
  const property = fc.asyncProperty(
    fc.tuple(letters, letters, letters),
    fc.boolean(),
    async ([text, old, replacement], isCrlf) => {
      const needle = old.slice(0, 3);
      fc.pre(needle !== "" && needle !== replacement && text.includes(needle));
      const stored = isCrlf ? text.replaceAll("\n", "\r\n") : text;
      await writeFile(join(folder, "f"), stored);
      const edit = { file_path: "f", old_string: needle, new_string: replacement, replace_all: true };
      const result = await runTool(editTool, edit, contextIn(folder));
      const expected = text.replaceAll(needle, () => replacement);
      const after = await readFile(join(folder, "f"), "utf8");
      if (expected === text) assert(!result.ok && result.errorType === "no_change");
      else if (isCrlf && text.includes("\n")) assert.equal(after.replaceAll("\r\n", "\n"), expected);
      else assert.equal(after, expected);
      if (isCrlf && text.includes("\n")) assert.doesNotMatch(after, /[^\r]\n|^\n/);
    },
  );
  await fc.assert(property, { numRuns: count({ quick: 200, full: 5000 }) });
});

test("several edits are made in order, all or none [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { f: "one two three\n" });
  const first = { file_path: "f", old_string: "one", new_string: "1" };
  const failed = await fail(editTool, { ...first, more_edits: [{ old_string: "2", new_string: "zwei" }] }, folder);
  assert.deepEqual(
    [failed.errorType, failed.error],
    ["no_match", "more_edits[0]: old_string was not found in f. No edit was made."],
  );
  assert.equal(await readFile(join(folder, "f"), "utf8"), "one two three\n");
  const more_edits = [
    { old_string: "1 two", new_string: "1 2" },
    { old_string: "e", new_string: "E", replace_all: true },
  ];
  const done = await succeed(editTool, { ...first, more_edits }, folder);
  assert.deepEqual(done.data, { file_path: "f", replacements: 4, bytes: 10 });
  assert.equal(await readFile(join(folder, "f"), "utf8"), "1 2 thrEE\n");
});

test("a text that is not found comes back with the nearest lines and what differs [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const source = [
    "import { readFile } from 'node:fs';",
    "",
    "export function load(path: string) {",
    "\tconst text = readFile(path);",
    "\treturn parse(text, { strict: true });",
    "}",
    "const greeting = “hello”;",
    "const trailing = 1;  ",
    "",
  ].join("\n");
  await makeFiles(folder, { "a.ts": source });
  const cases: [old_string: string, hint: RegExp][] = [
    [
      "    const text = readFile(path);",
      /^The nearest text is at line 4; line 4 begins with 1 tab, old_string has 4 spaces:\n4\t\tconst text/,
    ],
    [
      "export function load(path: string) {\n  const text = readFile(path);\n  return parse(text, { strict: true });\n}",
      /at lines 3-6; line 4 begins with 1 tab, old_string has 2 spaces:\n3\texport/,
    ],
    ["return parse(text, {strict: true});", /at line 5; line 5 differs in white space|at line 5; line 5 differs/],
    ['const greeting = "hello";', /at line 7; line 7 has other quotation marks or dashes/],
    ["const trailing = 1;\n\n", /at lines 8-9; line 8 ends with 2 spaces, old_string has no white space/],
    ["import { raedFile } from 'node:fs';", /at line 1; line 1 differs:\n1\timport/],
    ["3\texport function load(path: string) {\n4\t\tconst text = readFile(path);", /Leave out the line numbers/],
    ["load(path: string) {\\n\\tconst text", /backslash escapes/],
    ["completely unrelated words that occur nowhere", /^Nothing in the file is like it/],
  ];
  for (const [old_string, hint] of cases) {
    const failed = await fail(editTool, { file_path: "a.ts", old_string, new_string: "§" }, folder);
    assert.equal(failed.errorType, "no_match");
    assert.match(failed.hint ?? "", hint);
  }
  const again = { file_path: "a.ts", old_string: "export function read(", new_string: "export function load(" };
  assert.match((await fail(editTool, again, folder)).hint ?? "", /already there, at line 3/);
});

test("the hint for a missing text takes little time, also in a file made to be slow [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, {
    same: "}\n".repeat(1_500_000),
    long: "ab".repeat(1_900_000),
    words: "const a = b;\n".repeat(300_000),
  });
  for (const file_path of ["same", "long", "words"]) {
    const started = performance.now();
    const old_string = `${"}\n".repeat(2000)}const a = c;${"x".repeat(5000)}`;
    assert.equal((await fail(editTool, { file_path, old_string, new_string: "x" }, folder)).errorType, "no_match");
    assert(performance.now() - started < 9000, file_path);
  }
});

test("what can't be edited is refused with the reason, and the file stays [E6]", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { f: "text\n", empty: "", "b.bin": Buffer.from("a\0b"), "dir/x": "x" });
  await writeFile(join(folder, "huge"), "text\n".repeat(2000));
  await truncate(join(folder, "huge"), 5 * 1024 ** 3);
  const cases: [file: string, old: string, replacement: string, errorType: string][] = [
    ["f", "text", "text", "no_change"],
    ["f", "", "x", "invalid_input"],
    ["empty", "x", "y", "no_match"],
    ["empty", "", "y", "no_match"],
    ["missing", "x", "y", "not_found"],
    ["dir", "x", "y", "is_directory"],
    ["b.bin", "a", "c", "binary"],
    ["huge", "text", "x", "too_large"],
    ["f", "text", "\ud800", "encoding"],
    ["../f", "x", "y", "access"],
  ];
  for (const [file_path, old_string, new_string, errorType] of cases) {
    const failed = await fail(editTool, { file_path, old_string, new_string }, folder);
    assert.equal(failed.errorType, errorType, file_path);
    assert(failed.hint);
  }
  assert.match(
    (await fail(editTool, { file_path: "empty", old_string: "", new_string: "x" }, folder)).hint ?? "",
    /write/,
  );
  assert.equal(await readFile(join(folder, "f"), "utf8"), "text\n");
});

test("old_string and new_string are asked for when they are missing [E6]", () => {
  const checked = editTool.check({ file_path: "f" });
  assert(!checked.ok);
  assert.deepEqual(
    checked.problems.map(({ path, kind }) => [path, kind]),
    [
      ["old_string", "missing"],
      ["new_string", "missing"],
    ],
  );
  assert.deepEqual(editTool.inputSchema["required"], ["file_path", "old_string", "new_string"]);
});

test("a file that somebody else changes during the edit is not overwritten", async (t) => {
  const folder = await temporaryFolder(t);
  const before = `start\n${"x".repeat(5_000_000)}`;
  // As long as before, and perhaps within the same tick of the clock: only the content tells.
  const other = `other\n${"x".repeat(5_000_000)}`;
  let refused = 0;
  for (let attempt = 0; attempt < 20 && refused === 0; attempt++) {
    await writeFile(join(folder, "f"), before);
    const edit = { file_path: "f", old_string: "start", new_string: "edited" };
    let result: ToolResult | undefined;
    const editing = runTool(editTool, edit, contextIn(folder)).then((ended) => (result = ended));
    // The new content is being written, so the old one has been read.
    while (result === undefined && readdirSync(folder).length < 2)
      await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(join(folder, "f"), other);
    result = await editing;
    if (!result.ok) {
      assert.equal(result.errorType, "changed_meanwhile");
      assert.equal(await readFile(join(folder, "f"), "utf8"), other);
      refused++;
    }
    assert.deepEqual(await readdir(folder), ["f"]);
  }
  assert.equal(refused, 1);
});

test("100 edits of one file at once are all in it", async (t) => {
  const folder = await temporaryFolder(t);
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index};`);
  await makeFiles(folder, { f: lines.join("\n") });
  await Promise.all(
    lines.map((line) => succeed(editTool, { file_path: "f", old_string: line, new_string: `${line} done` }, folder)),
  );
  assert.equal(await readFile(join(folder, "f"), "utf8"), lines.map((line) => `${line} done`).join("\n"));
});

test("an edit keeps the mode and the link that leads to the file", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { "run.sh": "echo a\n" });
  await chmod(join(folder, "run.sh"), 0o750);
  await symlink("run.sh", join(folder, "link"));
  await succeed(editTool, { file_path: "link", old_string: "a", new_string: "b" }, folder);
  assert.equal((await stat(join(folder, "run.sh"))).mode & 0o777, 0o750);
  assert.equal(await readlink(join(folder, "link")), "run.sh");
});

test("the preview shows the difference, or why there is none", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFiles(folder, { f: "a\nb\n" });
  const preview = (edit: { file_path: string; old_string: string; new_string: string }) =>
    editTool.preview!(edit, { workdir: folder, signal: new AbortController().signal });
  assert.deepEqual(await preview({ file_path: "f", old_string: "b", new_string: "c" }), {
    text: "Change f (4 B → 4 B, 2 lines).",
    diff: "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
  });
  const missing = await preview({ file_path: "f", old_string: "z", new_string: "c" });
  assert.deepEqual(missing, { text: "old_string was not found in f." });
  assert.equal(await readFile(join(folder, "f"), "utf8"), "a\nb\n");
});
