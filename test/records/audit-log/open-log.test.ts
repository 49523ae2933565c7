import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { defaultJournalSettings } from "../../../src/records/audit-log/log-entry.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { lane } from "../../support/require.ts";
import { found, openPlace } from "./support.ts";

describe("a line", () => {
  test("is chained by the SHA-256 of its bytes before the hash, which anyone can compute [D4]", async (t) => {
    const place = await openPlace(t);
    const journal = place.open({ writer: "w1" });
    await journal.append({ type: "user_input", text: "안녕" });
    await journal.append({ type: "assistant_output", text: "hello" });
    await journal.close();
    const lines = readFileSync(place.file).toString("latin1").split("\n").slice(0, -1);
    let prev: string | null = null;
    for (const [index, line] of lines.entries()) {
      const hash = createHash("sha256")
        .update(Buffer.from(line.slice(0, -75), "latin1"))
        .digest("hex");
      const entry = JSON.parse(Buffer.from(line, "latin1").toString()) as Record<string, unknown>;
      assert.deepEqual(
        [entry["v"], entry["writer"], entry["seq"], entry["prev"], entry["hash"]],
        [1, "w1", index + 1, prev, hash],
      );
      prev = hash;
    }
    assert.deepEqual(
      place.entries().map(({ type }) => type),
      ["opened", "user_input", "assistant_output", "closed"],
    );
    assert.equal(place.entries()[1]!["text"], "안녕");
  });

  test("holds no character that could drive a terminal, and gives it back when parsed [G9]", async (t) => {
    const place = await openPlace(t);
    const text = "\u001b[31m\u0007\u009b\u0085\u007f\u2028\u2029\u202e\u2066\u200b\u200d\ufeff\u{e0041}\ud800 한글 🙂";
    const journal = place.open();
    await journal.append({ type: "note", text, more: { [`key\u202e`]: text } });
    await journal.close();
    const written = readFileSync(place.file, "utf8");
    // eslint-disable-next-line no-control-regex -- finding them is what this is for
    assert.doesNotMatch(written, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u);
    assert.equal(place.entries()[1]!["text"], text);
    assert.match(written, /한글 🙂/);
  });

  test("is masked, whatever brings it [D4]", async (t) => {
    const place = await openPlace(t);
    const journal = place.open({ mask: (text) => text.replaceAll("hunter2", "[MASKED]") });
    await journal.append({ type: "user_input", text: "it is hunter2", list: ["hunter2", { hunter2: 1 }] });
    journal.appendBehind({
      type: "note",
      error: new Error("hunter2").message,
      big: `${"x".repeat(32_760)}hunter2${"y".repeat(99_999)}`,
    });
    await journal.close();
    assert.doesNotMatch(readFileSync(place.file, "utf8"), /hunter2|hunt…/);
  });

  test("keeps the journal's own keys, and never fails for what it is given", async (t) => {
    const place = await openPlace(t);
    const circle: Record<string, unknown> = {
      type: "note",
      seq: 99,
      prev: "x",
      hash: "y",
      writer: "z",
      big: 10n,
      no: Number.NaN,
    };
    circle["self"] = circle;
    circle["getter"] = Object.defineProperty({}, "x", { enumerable: true, get: () => assert.fail() });
    circle["long"] = Array.from({ length: 100_000 }, (_, index) => index);
    const journal = place.open({
      mask: () => {
        throw new Error("broken");
      },
    });
    await journal.append(circle as { type: "note" });
    await journal.close();
    const report = await place.verify();
    assert.deepEqual([report.ok, report.lines], [true, 3]);
    assert.ok(statSync(place.file).size < 200_000);
  });
});

test("the program in docs/journal.md finds what it should [D4]", lane("python", pythonAvailable()), async (t) => {
  const place = await openPlace(t);
  for (const writer of ["a", "b"]) {
    const journal = place.open({ writer });
    await journal.append({ type: "note", text: "안녕 \u202e" });
    await journal.close();
  }
  const guide = readFileSync(new URL("../../../docs/journal.md", import.meta.url), "utf8");
  const program = /```python\n([^]*?)```/.exec(guide)![1]!;
  const run = (): string => execFileSync("python3", ["-c", program, place.file], { encoding: "utf8" });
  assert.equal(run(), "");
  const whole = place.lines();
  place.rewrite([...whole, '{"v":1,"writer":"torn","se', "\u00ff", "[1]", '"text"']);
  assert.equal(run(), [7, 8, 9, 10].map((number) => `no line of the log at line ${number}\n`).join(""));
  place.rewrite(whole);
  place.rewrite(place.lines().toSpliced(1, 1));
  assert.equal(run(), "broken at line 2\n");
});

function pythonAvailable(): boolean {
  try {
    execFileSync("python3", ["--version"]);
    return true;
  } catch {
    return false;
  }
}

describe("files", () => {
  test("are private, also when they were not before [D4]", async (t) => {
    const place = await openPlace(t);
    mkdirSync(place.folder, { mode: 0o755 });
    writeFileSync(place.file, "", { mode: 0o644 });
    chmodSync(place.file, 0o644);
    const journal = place.open();
    await journal.append({ type: "note" });
    assert.deepEqual([statSync(place.file).mode & 0o777, statSync(place.folder).mode & 0o777], [0o600, 0o700]);
    await journal.close();
  });

  test("that are links are not written to; one sentence says why", async (t) => {
    const place = await openPlace(t);
    const elsewhere = join(dirname(place.folder), "elsewhere");
    writeFileSync(elsewhere, "mine");
    mkdirSync(place.folder);
    symlinkSync(elsewhere, place.file);
    await assert.rejects(async () => place.open().append({ type: "note" }), {
      code: "LOG_UNWRITABLE",
      message: `The log ${place.file} can't be written: it is a symbolic link. Remove the link, or set log.on_failure to "continue" to work without it.`,
    });
    assert.equal(readFileSync(elsewhere, "utf8"), "mine");
  });

  test("that are pipes do not hang anyone", async (t) => {
    const place = await openPlace(t);
    mkdirSync(place.folder);
    execFileSync("mkfifo", [place.file]);
    await assert.rejects(async () => place.open().append({ type: "note" }), {
      code: "LOG_UNWRITABLE",
      message: /a file in a folder\. Move that away/,
    });
  });

  test("are not made by a journal that writes nothing", async (t) => {
    const place = await openPlace(t);
    await place.open().close();
    assert.throws(() => statSync(place.folder), { code: "ENOENT" });
  });
});

describe("what a crash left", () => {
  for (const [what, bytes] of [
    ["half a line", '{"v":1,"writer":"dead","seq":4,"prev":"00'],
    ["zeros after a power loss", "\0".repeat(5000)],
    ["half a character", Buffer.from("한").subarray(0, 2)],
  ] as const) {
    test(`${what} at the end is noted and gone on from [D4 L11]`, async (t) => {
      const place = await openPlace(t);
      const before = place.open({ writer: "before" });
      await before.append({ type: "note", text: "one" });
      await before.flush();
      appendFileSync(place.file, bytes);
      const torn = await place.verify();
      assert.deepEqual([torn.ok, torn.warnings.map(({ kind }) => kind)], [true, ["torn"]]);

      const after = place.open({ writer: "after" });
      await after.append({ type: "note", text: "two" });
      await after.close();
      const report = await place.verify();
      assert.deepEqual([report.problems, report.warnings.map(({ kind }) => kind)], [[], ["torn"]]);
      const length = Buffer.byteLength(bytes);
      const repaired = place
        .lines()
        .flatMap((line) => (line.includes('"type":"repaired"') ? [JSON.parse(line) as Record<string, unknown>] : []));
      assert.deepEqual(
        repaired.map((entry) => [entry["writer"], entry["bytes"], entry["sha256"]]),
        [["after", length, createHash("sha256").update(bytes).digest("hex")]],
      );
      // The one that was there goes on as well.
      await before.append({ type: "note", text: "three" });
      await before.close();
      assert.equal((await place.verify()).ok, true);
    });
  }

  test("a line glued to what another writer could not finish is read, and the rest is told", async (t) => {
    const place = await openPlace(t);
    const journal = place.open({ writer: "w" });
    await journal.append({ type: "note", text: "one" });
    await journal.close();
    // The store knows a writer before its first line.
    await place.heads.save({ writer: "dead", seq: 0, hash: "", segment: 0, bytes: 0, at: Date.now() });
    const lines = place.lines();
    place.rewrite(lines.with(1, `{"v":1,"writer":"dead","seq":1,"prev":null,"at":"2026${lines[1]!}`));
    const report = await place.verify();
    assert.deepEqual([report.ok, report.warnings.map(({ kind, line }) => [kind, line])], [true, [["torn", 2]]]);
  });
});

test("lines that wait are written within 20 ms of the clock, in order, and at the end of the process", async (t) => {
  const place = await openPlace(t);
  const timers: (readonly [number, () => void])[] = [];
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after: (delay: number, callback: () => void) => (timers.push([delay, callback]), () => undefined),
  };
  const journal = place.open({ clock });
  journal.appendBehind({ type: "note", text: "one" });
  assert.throws(() => statSync(place.file), { code: "ENOENT" });
  assert.deepEqual(
    timers.map(([delay]) => delay),
    [20],
  );
  timers[0]![1]();
  assert.equal(place.entries().at(-1)!["text"], "one");
  journal.appendBehind({ type: "note", text: "two" });
  await journal.append({ type: "note", text: "three" });
  assert.deepEqual(
    place
      .entries()
      .slice(1)
      .map(({ text }) => text),
    ["one", "two", "three"],
  );
  // Known before its first line; the rest follows.
  assert.deepEqual(
    (await place.heads.list()).map(({ seq }) => seq),
    [0],
  );
  timers.find(([delay]) => delay === 100)![1]();
  assert.deepEqual(
    (await place.heads.list()).map(({ seq }) => seq),
    [4],
  );
  await journal.close();
});

test("each line that finds the segment full begins the next one, however quickly they follow [D4]", async (t) => {
  const place = await openPlace(t);
  const settings = { ...defaultJournalSettings, fsync: "never", maxBytes: 1000 } as const;
  const journal = place.open({ clock: createManualClock(), settings });
  for (let index = 0; index < 5; index++) await journal.append({ type: "note", text: "x".repeat(1000) });
  await journal.close();
  const report = await place.verify();
  assert.deepEqual([found(report), report.segments], [[], 6]);
});
