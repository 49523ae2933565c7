import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Journal } from "../../../src/records/audit-log/open-log.ts";
import { pruneSegments } from "../../../src/records/audit-log/prune-segments.ts";
import { found, openPlace } from "./support.ts";

const small = { audit: true, workflow: true, onFailure: "refuse", fsync: "never", maxBytes: 3000 } as const;

test("old segments go, a chained line tells of them, and the rest verifies, again and again [D4]", async (t) => {
  const place = await openPlace(t);
  let now = Date.UTC(2026, 0, 1);
  let monotonic = 0;
  const clock = { now: () => now, monotonic: () => (monotonic += 200), after: () => () => undefined };
  const options = { settings: small, clock };
  const long = place.open({ ...options, writer: "long" });
  const write = async (writer: string): Promise<void> => {
    const journal = place.open({ ...options, writer });
    for (let index = 0; index < 6; index++) {
      await journal.append({ type: "note", text: "x".repeat(400) });
      if (index === 3) await long.append({ type: "note", text: writer });
    }
    await journal.close();
    now += 24 * 60 * 60 * 1000;
  };
  for (const writer of ["a", "b", "c", "d"]) await write(writer);
  await long.flush();
  assert.deepEqual(found(await place.verify()), []);

  let before = Date.UTC(2026, 0, 2, 12);
  for (const name of readdirSync(place.folder)) utimesSync(join(place.folder, name), 0, 0);
  const dry = await pruneSegments({ folder: place.folder, before, heads: place.heads, journal: null });
  assert.ok(dry.segments >= 1 && dry.lines > 5, JSON.stringify(dry));
  assert.deepEqual(found(await place.verify()), []);
  for (let round = 0; round < 2; round++) {
    const cleaner = place.open({ ...options, writer: `clean${round}` });
    const done = await pruneSegments({ folder: place.folder, before, heads: place.heads, journal: cleaner });
    await cleaner.close();
    if (round === 0) assert.deepEqual(done, dry);
    const report = await place.verify();
    assert.deepEqual(report.problems, []);
    assert.ok(report.warnings.some(({ kind }) => kind === "pruned"));
    // The record of the first pruning goes with a later one; what it said of the long chain stays.
    await write(`more${round}`);
    before = now;
    for (const name of readdirSync(place.folder)) utimesSync(join(place.folder, name), 0, 0);
  }
  await long.append({ type: "note", text: "still here" });
  await long.close();
  assert.deepEqual(found(await place.verify()), []);
  assert.equal(readdirSync(place.folder).includes("chat_log.1.jsonl"), false);
});

test("without a line that tells of it a missing beginning is a problem [D4]", async (t) => {
  const place = await openPlace(t);
  let monotonic = 0;
  const clock = { now: () => Date.now(), monotonic: () => (monotonic += 200), after: () => () => undefined };
  const journal = place.open({ settings: small, clock });
  for (let index = 0; index < 20; index++) await journal.append({ type: "note", text: "x".repeat(400) });
  await journal.close();
  rmSync(join(place.folder, "chat_log.1.jsonl"));
  const kinds = (await place.verify()).problems.map(({ kind }) => kind);
  assert.deepEqual(new Set(kinds), new Set(["removed", "segment"]));
});

test("more said of a pruning in the name of a writer that was killed excuses nothing [D4]", async (t) => {
  const place = await openPlace(t);
  let monotonic = 0;
  const clock = { now: () => Date.now(), monotonic: () => (monotonic += 200), after: () => () => undefined };
  const write = async (writer: string, maxBytes: number): Promise<Journal> => {
    const journal = place.open({ settings: { ...small, maxBytes }, clock, writer });
    for (let index = 0; index < 30; index++) await journal.append({ type: "note", text: "x".repeat(400) });
    await journal.flush();
    return journal;
  };
  await (await write("old", 3000)).close();
  for (const name of readdirSync(place.folder)) utimesSync(join(place.folder, name), 0, 0);
  const cleaner = place.open({ settings: { ...small, maxBytes: 9000 }, clock, writer: "cleaner" });
  const before = Date.now() + 1000;
  const done = await pruneSegments({ folder: place.folder, before, heads: place.heads, journal: cleaner });
  assert.ok(done.segments > 0);
  await cleaner.close();
  await (await write("cut", 9000)).close();
  await write("killed", 9000);
  assert.deepEqual(found(await place.verify()), []);

  const name = readdirSync(place.folder).find((each) => place.lines(each).some((line) => line.includes('"pruned"')))!;
  const cut = place.lines(name).filter((line) => line.includes('"writer":"cut"'));
  const pruned = place.entries(name).find(({ type }) => type === "pruned")!;
  const [, , third] = cut.slice(0, 3).map((line) => JSON.parse(line) as { seq: number; hash: string });
  place.rewrite(
    place.lines(name).filter((line) => !cut.slice(0, 3).includes(line)),
    name,
  );
  const head = (await place.heads.list()).find(({ writer }) => writer === "killed")!;
  const continued = [...(pruned["continued"] as unknown[]), { writer: "cut", seq: third!.seq, hash: third!.hash }];
  const at = new Date().toISOString();
  const forged = { ...pruned, writer: "killed", seq: head.seq + 1, prev: head.hash, at, continued };
  for (const key of ["after", "hash"]) Reflect.deleteProperty(forged, key);
  const hashed = JSON.stringify(forged).slice(0, -1);
  appendFileSync(place.file, `${hashed},"hash":"${createHash("sha256").update(hashed).digest("hex")}"}\n`);
  const { problems, warnings } = await place.verify();
  assert.deepEqual(
    problems.map(({ kind, message }) => [kind, message]),
    [["removed", "lines 1 to 3 of its writer are missing before this one"]],
  );
  // What the forged line says of retention is not repeated as a fact.
  assert.deepEqual(warnings.map(({ kind }) => kind).toSorted(), ["pruned", "unconfirmed"]);
});

test("the store confirms the line that tells of it before a segment goes [D4]", async (t) => {
  const place = await openPlace(t);
  let monotonic = 0;
  const clock = { now: () => Date.now(), monotonic: () => (monotonic += 200), after: () => () => undefined };
  const journal = place.open({ settings: small, clock });
  for (let index = 0; index < 20; index++) await journal.append({ type: "note", text: "x".repeat(400) });
  await journal.close();
  for (const name of readdirSync(place.folder)) utimesSync(join(place.folder, name), 0, 0);
  // Killed at once: it never comes to its end.
  const cleaner = place.open({ writer: "cleaner", clock: { ...clock, monotonic: () => 0 } });
  await pruneSegments({ folder: place.folder, before: Date.now() + 1000, heads: place.heads, journal: cleaner });
  assert.equal(readdirSync(place.folder).includes("chat_log.1.jsonl"), false);
  assert.deepEqual(found(await place.verify()), []);
});
