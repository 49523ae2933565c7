import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unifiedDiff } from "../../src/core/unified-diff.ts";
import { parseDiff } from "../../web/format/parse-diff.ts";

test("lines of a diff have their kind and the numbers of both sides [D6]", () => {
  const { lines, added, removed } = parseDiff(
    [
      "--- a/x",
      "+++ b/x",
      "@@ -3,3 +3,3 @@ f",
      " same",
      "-old",
      "+new",
      " end",
      "\\ No newline at end of file",
      "",
    ].join("\n"),
  );
  assert.deepEqual(
    lines.map(({ kind, text, before, after }) => [kind, text, before, after]),
    [
      ["file", "--- a/x", null, null],
      ["file", "+++ b/x", null, null],
      ["place", "@@ -3,3 +3,3 @@ f", null, null],
      ["same", "same", 3, 3],
      ["removed", "old", 4, null],
      ["added", "new", null, 4],
      ["same", "end", 5, 5],
      ["note", "\\ No newline at end of file", null, null],
    ],
  );
  assert.deepEqual([added, removed], [1, 1]);
});

test("contents that look like the head of a diff are contents", () => {
  const { lines } = parseDiff("--- a\n+++ b\n@@ -1,2 +1,2 @@\n--- old comment\n+++ new\n @@ -9 +9 @@\n");
  assert.deepEqual(
    lines.slice(3).map(({ kind, text }) => [kind, text]),
    [
      ["removed", "-- old comment"],
      ["added", "++ new"],
      ["same", "@@ -9 +9 @@"],
    ],
  );
});

test("text that is no diff comes back whole, as lines that changed nothing", () => {
  const { lines, added, removed } = parseDiff("hello\n+not added\n- not removed");
  assert.deepEqual(lines.map(({ text }) => text).join("\n"), "hello\n+not added\n- not removed");
  assert.deepEqual([added, removed], [0, 0]);
});

test("what our own diffs say is read back: every line stands at its number [D6]", () => {
  const text = fc.array(fc.constantFrom("a", "b", "-c", "+d", "@@ -1 +1 @@", "--- e", "", " f", "\\ g"), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(text, text, (oldLines, newLines) => {
      const diff = unifiedDiff(asFile(oldLines), asFile(newLines), { from: "x", to: "x" });
      for (const { kind, text: line, before, after } of parseDiff(diff ?? "").lines) {
        if (kind === "removed" || kind === "same") assert.equal(line, before === null ? line : oldLines[before - 1]);
        if (kind === "added" || kind === "same") assert.equal(line, after === null ? line : newLines[after - 1]);
      }
      const { added, removed } = parseDiff(diff ?? "");
      assert.equal(newLines.length - oldLines.length, added - removed);
    }),
    { numRuns: 300 },
  );
});

test("a note that the rest of a diff was left out is no line of the file", () => {
  const { lines, leftOut } = parseDiff("--- a\n+++ b\n@@ -1,9 +1,9 @@\n x\n[7 more lines of the diff left out]\n");
  assert.equal(lines.at(-1)?.kind, "note");
  assert.equal(leftOut, "7 more lines of the diff left out");
  assert.equal(parseDiff("--- a\n+++ b\n@@ -1 +1 @@\n-[7 more lines of the diff left out]\n+x\n").leftOut, undefined);
});

function asFile(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
