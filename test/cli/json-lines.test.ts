import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { readLines, type Line } from "../../src/cli/commands/permissions/check-command.ts";

async function linesOf(...chunks: readonly (string | Buffer)[]): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of readLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))))) lines.push(line);
  return lines;
}

test("lines are put together wherever the stream cuts them, also inside a character", async () => {
  const bytes = Buffer.from("한글");
  assert.deepEqual(await linesOf("a", "b\nc\n\n", bytes.subarray(0, 2), bytes.subarray(2), "\nlast"), [
    { text: "ab" },
    { text: "c" },
    { text: "" },
    { text: "한글" },
    { text: "last" },
  ]);
  assert.deepEqual(await linesOf("one\n"), [{ text: "one" }]);
  assert.deepEqual(await linesOf(), []);
});

test("a line without an end is given up, and the next ones are read", async () => {
  const megabyte = "x".repeat(1024 * 1024);
  const chunks = Array.from({ length: 17 }, () => megabyte);
  assert.deepEqual(await linesOf(...chunks, "\nnext\n", Buffer.from([0xff, 0x0a]), "after"), [
    { problem: "The line is longer than 16 MB." },
    { text: "next" },
    { problem: "The line is not UTF-8 text." },
    { text: "after" },
  ]);
});
