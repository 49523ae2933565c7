import assert from "node:assert/strict";
import { fstatSync, fsync, statSync } from "node:fs";
import { test, type TestContext } from "node:test";
import type { SyncPolicy } from "../../../src/records/audit-log/log-entry.ts";
import type { Journal } from "../../../src/records/audit-log/open-log.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/runtime.ts";
import { openPlace, type LogPlace } from "./support.ts";

interface Counted {
  readonly journal: Journal;
  readonly place: LogPlace;
  readonly clock: ManualClock;
  /** How many lines were in the file each time that it was brought to the disk. */
  readonly synced: number[];
}

/** A log whose every fsync is done and counted. */
async function openCounted(t: TestContext, policy: SyncPolicy): Promise<Counted> {
  const place = await openPlace(t);
  const clock = createManualClock();
  const synced: number[] = [];
  const journal = place.open({
    clock,
    settings: { ...place.open().settings, fsync: policy },
    syncFile(fd, callback) {
      assert.equal(fstatSync(fd).ino, statSync(place.file).ino);
      const lines = place.lines().length;
      fsync(fd, (error) => {
        synced.push(lines);
        callback(error);
      });
    },
  });
  return { journal, place, clock, synced };
}

test("interval: what was written is brought to the disk once a second, and at the end [D4]", async (t) => {
  const { journal, clock, synced } = await openCounted(t, "interval");
  await journal.append({ type: "note", text: "one" });
  await journal.append({ type: "note", text: "two" });
  clock.advance(999);
  assert.deepEqual(synced, []);
  clock.advance(1);
  await until("the first fsync", () => synced.length > 0);
  // Nothing new: nothing to bring.
  clock.advance(10_000);
  assert.deepEqual(synced, [3]);
  await journal.append({ type: "note", text: "three" });
  clock.advance(1000);
  await until("the second fsync", () => synced.length > 1);
  await journal.append({ type: "note", text: "four" });
  await journal.close();
  assert.deepEqual(synced, [3, 4, 6]);
});

test("always: a line that a call waits for is on the disk before the call goes on [D4]", async (t) => {
  const { journal, synced } = await openCounted(t, "always");
  await journal.append({ type: "note", text: "one" });
  assert.deepEqual(synced, [2]);
  await journal.append({ type: "note", text: "two" });
  assert.deepEqual(synced, [2, 3]);
  await journal.close();
  assert.deepEqual(synced, [2, 3, 4]);
});

test("never: nothing is brought to the disk by Deckhand [D4]", async (t) => {
  const { journal, clock, synced } = await openCounted(t, "never");
  await journal.append({ type: "note", text: "one" });
  clock.advance(10_000);
  await journal.close();
  assert.deepEqual(synced, []);
});

test("a disk that can't take it refuses the call with always, and is reported with interval [D4]", async (t) => {
  for (const policy of ["always", "interval"] as const) {
    const place = await openPlace(t);
    const clock = createManualClock();
    const journal = place.open({
      clock,
      settings: { ...place.open().settings, fsync: policy },
      syncFile: (_fd, callback) => callback(Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" })),
    });
    const sentence = /^The log \S+ can't be written: EIO: i\/o error, fsync\. Correct that, or set log\.on_failure/;
    if (policy === "always") {
      await assert.rejects(async () => journal.append({ type: "note" }), { code: "LOG_UNWRITABLE", message: sentence });
    } else {
      await journal.append({ type: "note" });
      clock.advance(1000);
      await until("the report", () => place.failures.length > 0);
      assert.match(place.failures[0]!.error, sentence);
    }
    await journal.close();
  }
});
