import assert from "node:assert/strict";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { defaultJournalSettings } from "../../../src/records/audit-log/log-entry.ts";
import { createJournalLedger } from "../../../src/records/ledger.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { openDatabase } from "../../../src/records/sqlite/database.ts";
import { createSqliteJournalHeads, readJournalHeads } from "../../../src/records/sqlite/sqlite-log-heads.ts";
import { complete, makeExecution } from "../../contract/make-execution.ts";
import { lane } from "../../support/require.ts";
import { mountTmpfs, remount, tmpfsAvailable } from "../../support/tmpfs.ts";
import { openPlace } from "./support.ts";

const settings = { ...defaultJournalSettings, fsync: "never" } as const;

function fill(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, "filler"), Buffer.alloc(bavail * bsize));
}

describe("a disk that is full or read-only", lane("tmpfs", tmpfsAvailable()), () => {
  for (const onFailure of ["refuse", "continue"] as const) {
    test(`full, ${onFailure}: says so, and when there is room again the log tells what it lacks [D4]`, async (t) => {
      const disk = mountTmpfs(t, "256k");
      const place = await openPlace(t, disk);
      const journal = place.open({ settings: { ...settings, onFailure } });
      const ledger = createJournalLedger(journal);
      const first = makeExecution();
      await ledger.opened(first, "never");
      fill(disk);
      // What is left of the last block takes a few lines, and then half a one.
      const calls = Array.from({ length: 40 }, () => makeExecution({ toolInput: { text: "x".repeat(300) } }));
      const refusals: string[] = [];
      for (const call of calls) {
        try {
          await ledger.opened(call, "never");
        } catch (thrown) {
          refusals.push((thrown as Error).message);
        }
      }
      const sentence = `The log ${place.file} can't be written: the disk or the quota is full. Free some space, or set log.on_failure to "continue" to work without it.`;
      const told = onFailure === "refuse" ? refusals : place.failures.map(({ error }) => error);
      assert.ok(told.length > 20, `${told.length} failures`);
      assert.deepEqual(new Set(told), new Set([sentence]));
      assert.equal((onFailure === "refuse" ? place.failures : refusals).length, 0);
      assert.deepEqual((await place.verify()).problems, []);

      rmSync(join(disk, "filler"));
      await ledger.settled(complete(first), "never");
      await journal.close();
      const report = await place.verify();
      assert.deepEqual(report.problems, []);
      assert.deepEqual(new Set(report.warnings.map(({ kind }) => kind)).has("gap"), true);
      const gap = place.lines().find((line) => line.includes('"type":"gap"'))!;
      assert.equal((JSON.parse(gap) as { lines: number }).lines, told.length);
    });
  }

  test("read-only: calls with effects are refused with the reason, and reading works [D4]", async (t) => {
    const disk = mountTmpfs(t, "4m");
    const place = await openPlace(t, disk);
    const journal = place.open({ settings });
    await journal.append({ type: "note", text: "before" });
    await journal.close();
    const path = join(disk, "deckhand.db");
    const database = await openDatabase({ path, clock: systemClock });
    for (const head of await place.heads.list()) await createSqliteJournalHeads(database).save(head);
    await database.close();
    remount(disk, "ro");
    const later = place.open({ settings });
    assert.match(
      later.problem!,
      /^The log .+ can't be written: the disk is read-only\. Make it writable, or set log\.on_failure/,
    );
    const ledger = createJournalLedger(later);
    await assert.rejects(async () => ledger.opened(makeExecution(), "never"), {
      code: "LOG_UNWRITABLE",
      message: `The log ${place.file} can't be written: the disk is read-only. Make it writable, or set log.on_failure to "continue" to work without it.`,
    });
    assert.equal((await place.verify()).ok, true);
    assert.deepEqual(
      readJournalHeads(path),
      (await place.heads.list()).filter(({ seq }) => seq > 0),
    );
    await later.close();
  });
});
