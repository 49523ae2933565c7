import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createKeepOutput } from "../../src/records/keep-output.ts";
import { createMasker } from "../../src/guard/secrets/create-masker.ts";
import { createSecretMaker } from "../guard/secrets/make-secret.ts";
import { temporaryFolder } from "../support/temporary.ts";

const masker = createMasker({ values: ["known-value-17"], key: "test" });

test("a kept output is masked, private, and otherwise the same byte for byte [D4 L5]", async (t) => {
  const folder = await temporaryFolder(t);
  const raw = Buffer.concat([
    Buffer.from("first line 한글\nknown-value-17 in the middle\r\n"),
    Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]),
    Buffer.from("PASSWORD=hunter2hunter2\nwithout an end 글"),
  ]);
  const kept = await keep(folder, raw);
  const copy = await readFile(kept);
  const expected = copy
    .toString("latin1")
    .replace(/\[MASKED:known:\w{6}\]/, "known-value-17")
    .replace(/\[MASKED:password:\w{6}\]/, "hunter2hunter2");
  assert.ok(Buffer.from(expected, "latin1").equals(raw));
  assert.ok(!copy.includes("known-value-17") && !copy.includes("hunter2"));
  assert.equal((await stat(kept)).mode & 0o777, 0o600);
});

test("a secret across the pieces in which an output is read is masked, also in one endless line [D4]", async (t) => {
  const folder = await temporaryFolder(t);
  for (const filler of ["x y ", "한 글 ", "line\n"]) {
    for (const shift of [-20, -9, -1, 0, 1]) {
      const before = Buffer.from(filler.repeat(10_000)).subarray(0, 32 * 1024 + shift);
      const raw = Buffer.concat([before, Buffer.from("known-value-17"), Buffer.from(filler.repeat(1000))]);
      const copy = await readFile(await keep(folder, raw));
      assert.ok(!copy.includes("known-value-17"));
      const restored = Buffer.from(
        copy.toString("latin1").replace(/\[MASKED:known:\w{6}\]/, "known-value-17"),
        "latin1",
      );
      assert.ok(restored.equals(raw), `${filler} ${shift}`);
    }
  }
});

test("a known value of several lines is masked wherever the pieces end [D4]", async (t) => {
  const folder = await temporaryFolder(t);
  const value = "multi\nof the second line 88\nend 1234";
  const several = createMasker({ values: [value], key: "test" });
  const copy = await readFile(await keep(folder, Buffer.from(`${value}\n`.repeat(5000)), several), "utf8");
  assert.match(copy, /^(?:\[MASKED:known:\w{6}\]\n){5000}$/);
});

test("a private key stays masked where its output stops being text, and goes on [D4]", async (t) => {
  const folder = await temporaryFolder(t);
  const maker = createSecretMaker(3);
  const lines = Array.from({ length: 1000 }, () => maker.base64(64));
  const armour = `-----BEGIN PRIVATE ${"KEY"}-----\n`;
  // The second half of the key is read together with bytes that are no text.
  const raw = Buffer.concat([Buffer.from(`${armour}${lines.join("\n")}\n`), Buffer.from([0xff, 0x0a])]);
  const copy = await readFile(await keep(folder, raw));
  for (const line of lines) assert.ok(!copy.includes(line), line);
  assert.ok(copy.includes(Buffer.from([0xff, 0x0a])));
});

test("an output that can't be masked is not kept at all [D4]", async (t) => {
  const folder = await temporaryFolder(t);
  const rawPath = join(folder, "raw");
  await writeFile(rawPath, "known-value-17\n");
  const broken = {
    stream: () => ({
      push(): string {
        throw new Error("masking broke");
      },
      end: () => "",
    }),
  };
  await assert.rejects(createKeepOutput(join(folder, "outputs"), broken)(rawPath, "kept.txt"), /masking broke/);
  await assert.rejects(stat(join(folder, "outputs", "kept.txt")), { code: "ENOENT" });
});

async function keep(folder: string, raw: Buffer, mask = masker): Promise<string> {
  const rawPath = join(folder, "raw");
  await writeFile(rawPath, raw);
  return createKeepOutput(join(folder, "outputs"), mask)(rawPath, "kept.txt");
}
