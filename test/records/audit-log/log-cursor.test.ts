import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock, type Clock } from "../../../src/core/clock.ts";
import { openJournalCursor, type JournalCursor, type PlacedEntry } from "../../../src/records/audit-log/log-cursor.ts";
import { defaultJournalSettings } from "../../../src/records/audit-log/log-entry.ts";
import { readEntries } from "../../../src/records/audit-log/read-entries.ts";
import { afterTest } from "../../support/after-test.ts";
import { until } from "../../support/runtime.ts";
import { openPlace, type LogPlace } from "./support.ts";

/** Every segment was closed long ago. */
const later: Clock = { ...systemClock, now: () => Date.now() + 3_600_000 };
const settings = { ...defaultJournalSettings, fsync: "never", maxBytes: 4096 } as const;

/** Until nothing comes any more. */
async function readAll(cursor: JournalCursor): Promise<PlacedEntry[]> {
  const all: PlacedEntry[] = [];
  for (let read = await cursor.read(); read && read.length > 0; read = await cursor.read()) all.push(...read);
  return all;
}

async function writeNotes(place: LogPlace, from: number, to: number): Promise<void> {
  const journal = place.open({ settings });
  for (let index = from; index < to; index++)
    await journal.append({ type: "note", text: `${index} ${"x".repeat(200)}` });
  await journal.close();
}

const format = ({ place: { segment, offset } }: PlacedEntry): string => `${segment}:${offset}`;

test("whoever goes on after any entry gets exactly those behind it, over all segments [D4]", async (t) => {
  const place = await openPlace(t);
  for (let from = 0; from < 60; from += 12) await writeNotes(place, from, from + 12);
  const all: PlacedEntry[] = [];
  const first = (await openJournalCursor(place.folder, { segment: 1, offset: 0 }, later))!;
  all.push(...(await readAll(first)));
  await first.close();
  const everything: unknown[] = [];
  for await (const { entry } of readEntries(place.folder)) everything.push(entry);
  // The first one was where it began.
  assert.deepEqual(
    all.map(({ entry }) => entry),
    everything.slice(1),
  );
  assert.ok(new Set(all.map((each) => each.place.segment)).size > 3);
  for (const [index, entry] of all.entries()) {
    const cursor = (await openJournalCursor(place.folder, entry.place, later))!;
    assert.deepEqual((await readAll(cursor)).map(format), all.slice(index + 1).map(format));
    await cursor.close();
  }
});

test("a cursor at the end gets what is written from then on, also into a journal that is not there yet [D4]", async (t) => {
  const place = await openPlace(t);
  const before = (await openJournalCursor(place.folder, null, later))!;
  assert.deepEqual(await before.read(), []);
  await writeNotes(place, 0, 3);
  assert.equal((await readAll(before)).length, 5);
  await before.close();
  const cursor = (await openJournalCursor(place.folder, null, later))!;
  assert.deepEqual(await cursor.read(), []);
  await writeNotes(place, 3, 5);
  assert.deepEqual(
    (await readAll(cursor)).map(({ entry }) => String(entry["text"] ?? entry["type"]).split(" ")[0]),
    ["opened", "3", "4", "closed"],
  );
  await cursor.close();
});

test("a place that is no entry, or none any more, is not guessed at [D4]", async (t) => {
  const place = await openPlace(t);
  await writeNotes(place, 0, 30);
  const { size } = statSync(place.file);
  for (const [segment, offset] of [
    [99, 0],
    [0, 0],
    [1, 1],
    [1, 10 ** 12],
  ] as const) {
    assert.equal(await openJournalCursor(place.folder, { segment, offset }, later), null, `${segment}:${offset}`);
  }
  const current = (await openJournalCursor(place.folder, null, later))!;
  assert.equal(current.place.offset, size);
  assert.equal(await openJournalCursor(place.folder, current.place, later), null);
  await current.close();
  rmSync(join(place.folder, "chat_log.1.jsonl"));
  assert.equal(await openJournalCursor(place.folder, { segment: 1, offset: 0 }, later), null);
});

test("a line that is just being written comes when it is whole, and a line of any length in one piece [D4]", async (t) => {
  const place = await openPlace(t);
  await writeNotes(place, 0, 1);
  const cursor = (await openJournalCursor(place.folder, null, later))!;
  const line = JSON.stringify({ type: "note", text: "y".repeat(3_000_000) });
  appendFileSync(place.file, line.slice(0, 2_000_000));
  assert.deepEqual(await cursor.read(), []);
  const late = (await openJournalCursor(place.folder, null, later))!;
  assert.deepEqual(late.place, cursor.place);
  appendFileSync(place.file, `${line.slice(2_000_000)}\n`);
  const [read] = (await cursor.read())!;
  assert.equal(String(read!.entry["text"]).length, 3_000_000);
  await Promise.all([cursor.close(), late.close()]);
});

test("when the log is taken away there is nothing to go on with, and the cursor says so [D4]", async (t) => {
  const place = await openPlace(t);
  await writeNotes(place, 0, 2);
  const cursor = (await openJournalCursor(place.folder, null, later))!;
  renameSync(place.file, join(place.folder, "elsewhere"));
  assert.equal(await cursor.read(), null);
  await cursor.close();
  truncateSync(join(place.folder, "elsewhere"));
});

test("while three processes write and rotate, a cursor gets every line once and in order [D4]", async (t) => {
  const place = await openPlace(t);
  const program = fileURLToPath(new URL("../../fixtures/journal/write-lines.ts", import.meta.url));
  const cursor = (await openJournalCursor(place.folder, null, systemClock))!;
  const writers = [1, 2, 3].map(() =>
    spawn(process.execPath, [program, place.folder, "150", "2000", "120000"], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  afterTest(t, () => Promise.resolve(writers.forEach((child) => child.kill("SIGKILL"))));
  await Promise.all(writers.map((child) => once(child.stdout, "data")));
  const ended = Promise.all(writers.map((child) => once(child, "exit")));
  for (const child of writers) child.stdin.end("go\n");
  const seen: PlacedEntry[] = [];
  const closed = (): number => seen.filter(({ entry }) => entry["type"] === "closed").length;
  await until(
    "all have closed",
    async () => {
      seen.push(...(await readAll(cursor)));
      return closed() === 3;
    },
    60_000,
  );
  await ended;
  await cursor.close();
  const written: unknown[] = [];
  for await (const { entry } of readEntries(place.folder)) written.push(entry["hash"]);
  assert.deepEqual(
    seen.map(({ entry }) => entry["hash"]),
    written,
  );
});
