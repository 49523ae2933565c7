import assert from "node:assert/strict";
import { appendFileSync, closeSync, openSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { createOutputTail } from "../../src/process/run/watch-output.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { inMode, modes, openBench } from "./support.ts";

async function openFollowed(t: { after(hook: () => Promise<void>): void }) {
  const path = join(await temporaryFolder(t), "output");
  writeFileSync(path, "");
  const fd = openSync(path, "r");
  t.after(() => Promise.resolve(closeSync(fd)));
  const pieces: string[] = [];
  const tail = createOutputTail(fd, (text) => pieces.push(text));
  const write = (bytes: Buffer): void => {
    appendFileSync(path, bytes);
    tail.advance(statSync(path).size);
  };
  return { tail, pieces, write, size: () => statSync(path).size };
}

test("a character that arrives in two parts is handed out whole [E9]", async (t) => {
  const { tail, pieces, write, size } = await openFollowed(t);
  const smile = Buffer.from("a😀b");
  for (const byte of smile) write(Buffer.from([byte]));
  tail.finish(size());
  assert.deepEqual(pieces, ["a", "😀", "b"]);
});

test("however text is cut on the way, the pieces together are the text [E9]", async (t) => {
  const { tail, pieces, write, size } = await openFollowed(t);
  let expected = "";
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.array(fc.nat(20)), (text, cuts) => {
      const bytes = Buffer.from(text.toWellFormed());
      expected += text.toWellFormed();
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        write(bytes.subarray(at, at + cut));
        at += cut;
      }
      return expected.startsWith(pieces.join(""));
    }),
    { numRuns: 100 },
  );
  tail.finish(size());
  assert.equal(pieces.join(""), expected);
});

test("bytes that are no text become replacement characters, and half a character at the end is not lost [E9]", async (t) => {
  const { tail, pieces, write, size } = await openFollowed(t);
  write(Buffer.from([0x61, 0xff, 0x62, 0xf0, 0x9f]));
  tail.finish(size());
  assert.equal(pieces.join(""), "a�b�");
});

test("output that outruns the reader is skipped up to a whole character [E9]", async (t) => {
  const { pieces, write } = await openFollowed(t);
  write(Buffer.from("😀".repeat(100_000)));
  const text = pieces.join("");
  assert.ok(text.length > 0 && Buffer.byteLength(text) <= 64 * 1024);
  assert.match(text, /^(😀)+$/u);
});

for (const mode of modes) {
  test(`sandbox ${mode}: pieces of output arrive while the command runs [E9]`, inMode(mode), async (t) => {
    const { run } = await openBench(t, { sandbox: mode });
    const seen: { stream: string; text: string; at: number }[] = [];
    const began = performance.now();
    const onOutput = (stream: string, text: string): void =>
      void seen.push({ stream, text, at: performance.now() - began });
    await run(["sh", "-c", "echo first; sleep 0.5; echo second >&2"], { onOutput });
    const total = performance.now() - began;
    assert.deepEqual(
      seen.map(({ stream, text }) => ({ stream, text })),
      [
        { stream: "stdout", text: "first\n" },
        { stream: "stderr", text: "second\n" },
      ],
    );
    assert.ok(seen[0]!.at < total - 200, "the first piece came before the end");
  });
}

test("a listener that throws hurts neither the command nor the runtime [E8]", async (t) => {
  const { run } = await openBench(t);
  const onOutput = (): void => {
    throw new Error("the listener's own");
  };
  const end = await run(["sh", "-c", "echo one; sleep 0.1; echo two"], { onOutput });
  assert.deepEqual([end.exitCode, end.stdout.bytes], [0, 8]);
});

test("50 MB of output take no more memory than a little output does [E9]", async (t) => {
  const { run } = await openBench(t);
  let peak = 0;
  const sample = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
  t.after(() => clearInterval(sample));
  const command = (bytes: number): ["sh", "-c", string] => ["sh", "-c", `head -c ${bytes} /dev/zero | tr '\\0' 'x'`];
  const onOutput = (_: string, text: string): void =>
    void (peak = Math.max(peak, process.memoryUsage().rss - text.length));
  await run(command(1_000_000), { onOutput });
  const before = process.memoryUsage().rss;
  peak = 0;
  const end = await run(command(50_000_000), { onOutput, maxOutputBytes: 60_000_000 });
  assert.equal(end.stdout.bytes, 50_000_000);
  const grownMb = (peak - before) / 1e6;
  t.diagnostic(`grew by ${grownMb.toFixed(1)} MB`);
  assert.ok(grownMb < 15, `grew by ${grownMb} MB`);
});
