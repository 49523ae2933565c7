import assert from "node:assert/strict";
import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import fc from "fast-check";
import { verifyJournal } from "../../../src/records/audit-log/verify/verify-log.ts";
import { count } from "../../support/counts.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { found, openPlace, type LogPlace } from "./support.ts";

/** Two writers that take turns, both closed: 2 × (opened, 4 notes, closed). */
async function writeTwo(t: TestContext): Promise<LogPlace> {
  const place = await openPlace(t);
  const [a, b] = [place.open({ writer: "a" }), place.open({ writer: "b" })];
  for (let index = 0; index < 4; index++) {
    await a.append({ type: "note", text: `a${index}` });
    await b.append({ type: "note", text: `b${index}` });
  }
  await a.close();
  await b.close();
  return place;
}

describe("tampering is found, and named", () => {
  test("a journal of two writers that nobody touched is whole [D4]", async (t) => {
    const place = await writeTwo(t);
    const report = await place.verify();
    assert.deepEqual(found(report), []);
    assert.deepEqual([report.ok, report.lines, report.writers, report.segments, report.warnings], [true, 12, 2, 1, []]);
    assert.equal(report.head, place.entries().at(-1)!["hash"]);
  });

  test("an edited line is named with its file, line, writer and number [D4]", async (t) => {
    const place = await writeTwo(t);
    const lines = place.lines();
    const index = lines.findIndex((line) => line.includes('"text":"b1"'));
    place.rewrite(lines.with(index, lines[index]!.replace('"b1"', '"bX"')));
    const { problems, ok } = await place.verify();
    assert.equal(ok, false);
    assert.deepEqual(problems, [
      {
        kind: "edited",
        message: "does not fit its hash: it was changed",
        segment: "chat_log.jsonl",
        line: index + 1,
        writer: "b",
        seq: 3,
      },
    ]);
  });

  test("of many findings a hundred are listed, and all are counted [D4]", async (t) => {
    const place = await writeTwo(t);
    appendFileSync(place.file, "no line of ours\n".repeat(150));
    const { ok, problems, problemCount } = await place.verify();
    assert.deepEqual([ok, problems.length, problemCount], [false, 100, 150]);
    assert.deepEqual([problems[0]?.line, problems[99]?.line], [13, 112]);
  });

  test("an unfinished last line is named by its number [D4]", async (t) => {
    const place = await writeTwo(t);
    appendFileSync(place.file, '{"v":1,"wri');
    const { problems, warnings } = await place.verify();
    assert.deepEqual(
      [...problems, ...warnings].map(({ kind, line }) => [kind, line]),
      [["torn", 13]],
    );
  });

  test("any one byte that is changed is found [D4]", async (t) => {
    const place = await writeTwo(t);
    const whole = readFileSync(place.file);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const bytes = Buffer.from(whole);
        bytes[at]! ^= change;
        writeFileSync(place.file, bytes);
        return !(await place.verify()).ok;
      }),
      { numRuns: count({ quick: 300, full: 5000 }) },
    );
  });

  test("any line that is removed, moved, doubled or put in is found [D4]", async (t) => {
    const place = await writeTwo(t);
    const lines = place.lines();
    for (let index = 0; index < lines.length; index++) {
      for (const other of lines.keys()) {
        const without = lines.toSpliced(index, 1);
        place.rewrite(without);
        assert.equal((await place.verify()).ok, false, `removed ${index}`);
        place.rewrite(lines.toSpliced(other, 0, lines[index]!));
        assert.equal((await place.verify()).ok, false, `doubled ${index} at ${other}`);
        if (other === index) continue;
        place.rewrite(without.toSpliced(other, 0, lines[index]!));
        assert.equal((await place.verify()).ok, false, `moved ${index} to ${other}`);
      }
      place.rewrite(lines.toSpliced(index, 0, ""));
      assert.equal((await place.verify()).ok, false, `an empty line at ${index}`);
      place.rewrite(lines.toSpliced(index, 0, '{"v":1,"type":"note"}'));
      assert.equal((await place.verify()).ok, false, `a foreign line at ${index}`);
    }
  });

  test("a journal that was cut at any byte is found by the heads in the store [D4]", async (t) => {
    const place = await writeTwo(t);
    const whole = readFileSync(place.file);
    for (let length = 0; length < whole.length; length += count({ quick: 23, full: 1 })) {
      writeFileSync(place.file, whole.subarray(0, length));
      assert.equal((await place.verify()).ok, false, `cut at ${length}`);
    }
    writeFileSync(place.file, whole.subarray(0, -1));
    assert.equal((await place.verify()).ok, false, "the last line end alone");
    rmSync(place.file);
    const { problems } = await place.verify();
    assert.deepEqual(new Set(problems.map(({ kind }) => kind)), new Set(["truncated"]));
  });

  test("each kind of tampering has its word", async (t) => {
    const place = await writeTwo(t);
    const lines = place.lines();
    const line = (text: string): number => lines.findIndex((each) => each.includes(`"text":"${text}"`));
    const kinds = async (changed: readonly string[]): Promise<string[]> => {
      place.rewrite(changed);
      return [...new Set((await place.verify()).problems.map(({ kind }) => kind))];
    };
    assert.ok((await kinds(lines.toSpliced(line("a1"), 1))).includes("removed"));
    assert.ok((await kinds(lines.toSpliced(line("a1") + 1, 0, lines[line("a1")]!))).includes("duplicated"));
    assert.ok(
      (await kinds(lines.toSpliced(line("a1"), 1).toSpliced(line("a3"), 0, lines[line("a1")]!))).includes("reordered"),
    );
    assert.deepEqual(await kinds(lines.toSpliced(2, 0, "hello")), ["unreadable"]);
    assert.deepEqual(await kinds(lines.slice(0, -1)), ["truncated"]);
  });

  test("a hash that was noted and is gone is told, also when the store knows nothing [D4]", async (t) => {
    const place = await writeTwo(t);
    const { head } = await place.verify();
    const noted = { folder: place.folder, recall: () => "there is no store", head: head! };
    const before = await verifyJournal(noted);
    assert.deepEqual(
      [before.ok, before.headsChecked, before.warnings.map(({ kind }) => kind)],
      [true, null, ["heads_unknown"]],
    );
    place.rewrite(place.lines().slice(0, -1));
    assert.deepEqual(found(await verifyJournal(noted)), ["other_head null:- #-"]);
  });

  test("a writer whose lines were all removed is missed by whoever came after it, without the store too", async (t) => {
    const place = await openPlace(t);
    for (const writer of ["a", "b", "c"]) {
      const journal = place.open({ writer });
      await journal.append({ type: "note", text: writer });
      await journal.close();
    }
    place.rewrite(place.lines().filter((line) => !line.includes('"writer":"b"')));
    const report = await verifyJournal({ folder: place.folder, recall: () => "there is no store" });
    assert.deepEqual(found(report), ["removed chat_log.jsonl:4 #1"]);
  });

  test("a clock that goes back is a remark; the numbers keep the order [D4]", async (t) => {
    const place = await openPlace(t);
    let now = Date.UTC(2026, 0, 2);
    const clock = { now: () => (now -= 60_000), monotonic: () => performance.now(), after: () => () => undefined };
    const journal = place.open({ clock });
    await journal.append({ type: "note", text: "one" });
    await journal.append({ type: "note", text: "two" });
    await journal.close();
    const report = await place.verify();
    assert.equal(report.ok, true);
    assert.deepEqual([...new Set(report.warnings.map(({ kind }) => kind))], ["clock_back"]);
  });
});

test("a line that waited while a later one was written is no clock that was set back [D4]", async (t) => {
  const place = await openPlace(t);
  const clock = createManualClock();
  const journal = place.open({ clock });
  const began = clock.now();
  clock.advance(8);
  await journal.append({ type: "note", text: "later" });
  await journal.write([{ at: began, body: '"type":"note","text":"waited"' }]);
  await journal.close();
  const report = await place.verify();
  assert.deepEqual([report.problems, report.warnings], [[], []]);
  assert.deepEqual(new Set(place.entries().map(({ at }) => at)), new Set(["2026-01-01T00:00:00.008Z"]));
});

test("more than a hundred problems are counted, and the first hundred are named [D4]", async (t) => {
  const place = await openPlace(t);
  const journal = place.open();
  for (let index = 0; index < 130; index++) await journal.append({ type: "note", text: `n${index}` });
  await journal.close();
  place.rewrite(place.lines().map((line) => line.replace('"text":"n', '"text":"m')));
  const report = await place.verify();
  assert.deepEqual([report.ok, report.problems.length, report.problemCount], [false, 100, 130]);
});

test("a torn last line is named with its number [D4]", async (t) => {
  const place = await writeTwo(t);
  appendFileSync(place.file, '{"v":1,"writer":"a","se');
  const { ok, warnings } = await place.verify();
  assert.deepEqual([ok, warnings.map(({ kind, line }) => [kind, line])], [true, [["torn", 13]]]);
});

describe("segments", () => {
  async function writeSegments(t: TestContext): Promise<LogPlace> {
    const place = await openPlace(t);
    const settings = { audit: true, workflow: true, onFailure: "refuse", fsync: "never", maxBytes: 4000 } as const;
    let now = 0;
    const clock = { now: () => Date.now(), monotonic: () => (now += 200), after: () => () => undefined };
    const [a, b] = [place.open({ settings, clock, writer: "a" }), place.open({ settings, clock, writer: "b" })];
    for (let index = 0; index < 20; index++) {
      await a.append({ type: "note", text: `a${index} ${"x".repeat(300)}` });
      await b.append({ type: "note", text: `b${index} ${"x".repeat(300)}` });
    }
    await a.close();
    await b.close();
    return place;
  }

  test("a chain goes on over rotated segments [D4]", async (t) => {
    const place = await writeSegments(t);
    const report = await place.verify();
    assert.deepEqual(found(report), []);
    assert.ok(report.segments >= 4, `${report.segments} segments`);
    assert.equal(place.entries("chat_log.2.jsonl")[0]!["type"], "rotated");
    assert.equal(place.entries("chat_log.2.jsonl")[0]!["segment"], 2);
  });

  test("a segment that is removed, swapped, cut or doubled is found [D4]", async (t) => {
    const place = await writeSegments(t);
    const path = (number: number): string => join(place.folder, `chat_log.${number}.jsonl`);
    const keep = [1, 2, 3].map((number) => readFileSync(path(number)));
    const restore = (): void => keep.forEach((bytes, index) => writeFileSync(path(index + 1), bytes));
    for (const number of [1, 2, 3]) {
      rmSync(path(number));
      assert.ok(
        (await place.verify()).problems.some(({ kind }) => kind === "segment"),
        `removed ${number}`,
      );
      restore();
      truncateSync(path(number), keep[number - 1]!.length - 10);
      assert.equal((await place.verify()).ok, false, `cut ${number}`);
      restore();
    }
    renameSync(path(1), join(place.folder, "x"));
    renameSync(path(2), path(1));
    renameSync(join(place.folder, "x"), path(2));
    assert.equal((await place.verify()).ok, false);
    restore();
    appendFileSync(path(2), keep[0]!);
    assert.equal((await place.verify()).ok, false);
    restore();
    assert.equal((await place.verify()).ok, true);
  });
});
