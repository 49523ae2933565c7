import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openBench, withRg } from "./grep-bench.ts";
import { makeFiles, succeed } from "./run-tool.ts";
import { lane } from "../support/require.ts";

test("a pattern that is slow for other engines is not slow here [C1]", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  await makeFiles(folder, { "a.txt": `${"a".repeat(100_000)}!\n` });
  const { output } = await succeed(tool, { pattern: "(a+)+$" }, folder);
  assert.match(output, /^No matches/);
});

test("a limit cuts the matches and says how many there are [C1]", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  await makeFiles(folder, { "a.txt": "needle\n".repeat(300), "b.txt": "needle\n".repeat(300) });
  const { output, data } = await succeed(tool, { pattern: "needle" }, folder);
  assert.equal(output.split("\n").length, 252);
  assert.match(
    output,
    /\n\[250 of 600 matching lines in 2 files\. Narrow the pattern, path or glob, or raise limit\.\]$/,
  );
  assert.deepEqual(
    [(data as { matches: unknown[] }).matches.length, (data as { truncated: boolean }).truncated],
    [250, true],
  );
  const files = await succeed(tool, { pattern: "needle", output_mode: "files", limit: 1 }, folder);
  assert.match(files.output, /^a\.txt\n\[1 of 2 files\./);
  await makeFiles(folder, { "long.txt": `needle ${"x".repeat(290)}\n`.repeat(1000) });
  const long = await succeed(tool, { pattern: "needle", path: "long.txt", limit: 1000 }, folder);
  assert(long.output.length < 31_000);
  assert.match(long.output, /\[\d+ of 1,000 matching lines/);
});

test("output without end is cut off early [C1]", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`${index}.txt`, "some needle\n".repeat(20_000)]),
  );
  await makeFiles(folder, files);
  const { output, data } = await succeed(tool, { pattern: "e" }, folder);
  assert.match(output, /\[250 of at least [\d,]+ matching lines/);
  assert.equal((data as { truncated: boolean }).truncated, true);
});

test("in a long line the part around the match is shown", withRg, async (t) => {
  const { tool, folder } = await openBench(t);
  await makeFiles(folder, {
    "min.js": `first\n${"a".repeat(50_000)} needle ${"b".repeat(50_000)}\nlast needle\n`,
    "start.js": `needle ${"b".repeat(50_000)}\n`,
  });
  const { output } = await succeed(tool, { pattern: "need[l]e" }, folder);
  const lines = output.split("\n");
  assert.match(lines[1] ?? "", /^2:…a+ needle b+…$/);
  assert.equal(lines[2], "3:last needle");
  assert.match(lines[5] ?? "", /^1:needle b+…$/);
  assert(lines.every((line) => line.length < 420));
});

const whenFull = process.env["DECKHAND_FULL"] === "1" ? withRg : lane("full", "it writes a gigabyte");

test("a line of a gigabyte is searched without holding it in memory", whenFull, async (t) => {
  const { tool, folder } = await openBench(t);
  execFileSync("sh", ["-c", "head -c 1200000000 /dev/zero | tr '\\0' x > huge"], { cwd: folder });
  await makeFiles(folder, { "small.txt": "xyz\n" });
  const started = process.memoryUsage.rss();
  const { output } = await succeed(tool, { pattern: "x" }, folder);
  assert.match(output, /^huge\n1:x{300}…\n\nsmall\.txt\n1:xyz$/);
  assert(process.memoryUsage.rss() - started < 100_000_000);
});

test(
  "binary files are left out, and named when one was asked for; a sparse 5 GB file costs nothing",
  withRg,
  async (t) => {
    const { tool, folder } = await openBench(t);
    await makeFiles(folder, {
      "a.bin": "needle\n\0\n",
      "late.bin": `needle\n${"text\n".repeat(50_000)}\0`,
      "b.txt": "needle\n",
      sparse: "",
    });
    await truncate(join(folder, "sparse"), 5 * 1024 ** 3);
    const { output } = await succeed(tool, { pattern: "needle", glob: "!late.bin" }, folder);
    assert.equal(output, "b.txt\n1:needle");
    const late = await succeed(tool, { pattern: "needle", glob: "late.bin" }, folder);
    assert.match(late.output, /late\.bin/);
    const asked = await succeed(tool, { pattern: "needle", path: "a.bin" }, folder);
    assert.equal(asked.output, "a.bin is binary and matches.");
    assert.deepEqual(asked.data, { matches: [], total_matches: 1, total_files: 1, truncated: true });
  },
);
