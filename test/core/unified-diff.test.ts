import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { unifiedDiff } from "../../src/core/unified-diff.ts";
import { count } from "../support/counts.ts";
import { lane } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";

const names = { from: "f", to: "f" };

test("a diff applied to the old text gives the new text [E7]", () => {
  const line = fc.constantFrom("a", "b", "c", "", "}", "  x");
  const text = fc
    .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom("", "\n"))
    .map(([lines, end]) => lines.join("\n") + end);
  const property = fc.property(text, text, (before, after) => {
    const diff = unifiedDiff(before, after, names);
    assert(diff !== undefined);
    assert.equal(before === after, diff === "");
    assert.equal(applyDiff(before, diff), after);
  });
  fc.assert(property, { numRuns: count({ quick: 2000, full: 50_000 }) });
});

const hasPatch = spawnSync("patch", ["--version"]).status === 0;

test("patch takes the diff [E7]", lane("patch", hasPatch || "patch is not installed"), async (t) => {
  const folder = await temporaryFolder(t);
  const before = Array.from({ length: 60 }, (_, index) => `line ${index}`);
  const after = before.flatMap((line, index) =>
    index % 17 === 3 ? [] : index % 13 === 5 ? [line, "new", "newer"] : index === 40 ? ["other"] : [line],
  );
  await writeFile(join(folder, "f"), `${before.join("\n")}\n`);
  const diff = unifiedDiff(`${before.join("\n")}\n`, after.join("\n"), names) ?? "";
  const patched = spawnSync("patch", ["-p1", "--fuzz=0"], { cwd: folder, input: diff, encoding: "utf8" });
  assert.equal(patched.status, 0, patched.stdout);
  assert.equal(await readFile(join(folder, "f"), "utf8"), after.join("\n"));
});

test("a small change in a long text is a small diff", () => {
  const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index}`);
  const changed = lines.with(100_000, "changed");
  const diff = unifiedDiff(lines.join("\n"), changed.join("\n"), names) ?? "";
  assert.equal(
    diff,
    [
      "--- a/f",
      "+++ b/f",
      "@@ -99998,7 +99998,7 @@",
      " line 99997",
      " line 99998",
      " line 99999",
      "-line 100000",
      "+changed",
      " line 100001",
      " line 100002",
      " line 100003",
      "",
    ].join("\n"),
  );
});

test("texts without a common line are compared in bounded time, and huge ones not at all", () => {
  const one = Array.from({ length: 100_000 }, (_, index) => `a${index % 7}`).join("\n");
  const other = Array.from({ length: 100_000 }, (_, index) => `${index % 3 ? "a" : "b"}${(index * 31) % 11}`).join(
    "\n",
  );
  const started = performance.now();
  const diff = unifiedDiff(one, other, names);
  assert(performance.now() - started < 5000);
  assert.equal(applyDiff(one, diff ?? ""), other);
  assert.equal(unifiedDiff("x".repeat(3_000_000), "y".repeat(3_000_000), names), undefined);
});

/** A plain reading of the format, without tolerance. */
function applyDiff(before: string, diff: string): string {
  if (diff === "") return before;
  const old = before.split(/(?<=\n)/);
  const result: string[] = [];
  let at = 0;
  const lines = diff.split("\n").slice(2, -1);
  lines.forEach((line, index) => {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$/.exec(line);
    const text = lines[index + 1]?.startsWith("\\") ? line.slice(1) : `${line.slice(1)}\n`;
    if (hunk !== null) {
      const start = Number(hunk[1]) - (hunk[2] === "0" ? 0 : 1);
      result.push(...old.slice(at, start));
      at = start;
    } else if (line.startsWith("+")) {
      result.push(text);
    } else if (!line.startsWith("\\")) {
      assert.equal(old[at], text);
      if (line.startsWith(" ")) result.push(text);
      at++;
    }
  });
  return [...result, ...old.slice(at)].join("");
}
