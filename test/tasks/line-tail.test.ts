import assert from "node:assert/strict";
import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { openLineTail } from "../../src/tasks/manager/read-agent.ts";
import { afterTest } from "../support/after-test.ts";
import { count } from "../support/counts.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openTasks } from "./support/open-tasks.ts";

test("however a file grows, its lines come whole and in order [T7]", async (t) => {
  const folder = await temporaryFolder(t);
  let number = 0;
  const pieces = fc.array(fc.constantFrom("a", "é", "\u{1f600}", "\n", "\r\n", '{"a":', "1}\n", "x".repeat(70_000)));
  const run = async (texts: string[], cuts: number[]): Promise<void> => {
    const path = join(folder, `file-${number++}`);
    const whole = Buffer.from(texts.join(""));
    const lines: string[] = [];
    const tail = openLineTail(path, (line) => lines.push(line));
    let from = 0;
    for (const cut of cuts.toSorted((a, b) => a - b).map((each) => Math.floor(each * whole.length))) {
      appendFileSync(path, whole.subarray(from, cut));
      from = Math.max(from, cut);
      await tail.advance(1000);
    }
    appendFileSync(path, whole.subarray(from));
    await tail.finish(Infinity);
    await tail.close();
    const expected = whole.toString("utf8").split(/\r?\n/);
    if (expected.at(-1) === "") expected.pop();
    assert.deepEqual(lines, expected);
    assert.equal(tail.bytes, whole.length);
  };
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
  await fc.assert(fc.asyncProperty(pieces, cuts, run), { numRuns: count({ quick: 100, full: 2000 }) });
});

test("bytes that are no text, lines of megabytes and emptied files do no harm [T8]", async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, "file");
  const lines: string[] = [];
  const tail = openLineTail(path, (line) => lines.push(line));
  afterTest(t, () => tail.close());
  assert.equal(await tail.advance(1000), true, "the file is not there yet");
  writeFileSync(
    path,
    Buffer.concat([Buffer.from([0xff, 0xfe, 10]), Buffer.alloc(9_000_000, "x"), Buffer.from("\nnext\n")]),
  );
  assert.equal(await tail.advance(100_000), false);
  assert.equal(await tail.advance(Infinity), true);
  const [first, long, next] = lines as [string, string, string];
  assert.deepEqual([first.length, next, lines.length], [2, "next", 3]);
  assert.equal(long, `${"x".repeat(8 * 1024 * 1024)}… [611392 bytes of this line cut]`);
  truncateSync(path);
  await tail.advance(Infinity);
  appendFileSync(path, "anew\n");
  await tail.finish(Infinity);
  assert.equal(lines.at(-1), "anew");
});

test("a gigabyte of output, with and without newlines, takes little memory and does not hide the answer [T8]", async (t) => {
  const { manager } = await openTasks(t);
  const megabytes = count({ quick: 40, full: 1024 });
  const flood = `head -c ${megabytes}m /dev/zero`;
  const message = `${flood} | tr '\\0' x; echo; echo text found; yes 'half {"json' | head -c 4m; echo; echo ok`;
  let mostBytes = 0;
  const watch = setInterval(() => void (mostBytes = Math.max(mostBytes, process.memoryUsage().rss)), 20);
  t.after(() => clearInterval(watch));
  const before = process.memoryUsage().rss;
  const { id } = await manager.start({ agent: "said", message, door: "library" });
  const end = await manager.wait(id, 600_000);
  const grownMegabytes = Math.round((mostBytes - before) / 1e6);
  t.diagnostic(`${megabytes} MB printed, memory grew by ${grownMegabytes} MB`);
  assert.deepEqual([end.state, end.result], ["completed", "found"]);
  assert.ok(grownMegabytes < 80, `memory grew by ${grownMegabytes} MB`);
});
