import assert from "node:assert/strict";
import { lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stampOf } from "../../src/tool-files/scan/scan-folder.ts";
import { hasChanged, readEntry, type ToolEntry } from "../../src/tool-files/scan/tool-entry.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** As on a file system whose clock stood still between the two saves. */
function withStampOfNow(folder: string, entry: ToolEntry): ToolEntry {
  return { ...entry, stamps: [[entry.name, stampOf(lstatSync(join(folder, entry.name)))]] };
}

test("a second save that leaves the same stamp is noticed, however our clock stands to that of the file system [C3]", async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, "say.ts");
  for (const startsAt of [0, Date.now(), Date.now() + 365 * 24 * 3600_000]) {
    writeFileSync(path, "one");
    const entry = readEntry(folder, "say.ts", { now: startsAt, good: null });
    assert.equal(hasChanged(folder, entry, startsAt + 1), false);
    writeFileSync(path, "two");
    assert.equal(hasChanged(folder, withStampOfNow(folder, entry), startsAt + 2), true);
    // The first look after the tick tells; from then on a stamp is enough.
    assert.equal(hasChanged(folder, withStampOfNow(folder, entry), startsAt + 1000), true);
    const later = readEntry(folder, "say.ts", { now: startsAt, good: null });
    assert.deepEqual([hasChanged(folder, later, startsAt + 1000), later.isUnsettled], [false, false]);
  }
});

test("a file that can't be read settles as well, and is noticed when it can [C3]", async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, "say.ts");
  writeFileSync(path, "");
  const entry = readEntry(folder, "say.ts", { now: 0, good: null });
  assert.equal(entry.problem?.message, "It is empty.");
  assert.deepEqual([hasChanged(folder, entry, 1000), entry.isUnsettled], [false, false]);
  writeFileSync(path, "one");
  assert.equal(hasChanged(folder, entry, 1001), true);
});
