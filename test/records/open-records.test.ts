import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { claimDataFolder } from "../../src/records/claim-data-folder.ts";
import { type Configuration, defaultConfiguration } from "../../src/config/configuration.ts";
import { type Folders, locateFolders } from "../../src/config/folders.ts";
import { openRecords, type Records } from "../../src/runtime/open-records.ts";
import { afterTest } from "../support/after-test.ts";
import { isolatedEnvironment } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

test("rollouts are kept on disk, and are there for the next runtime and for the one beside", async (t) => {
  const folders = await openFolders(t);
  const first = await open(t, folders, "sqlite");
  await first.rollouts.change((rollouts) => rollouts.writeDocument("a", 1));
  const beside = await open(t, folders, "sqlite");
  assert.equal(beside.rollouts.readDocument("a"), 1);
  await first.close();
  await beside.close();
  const next = await open(t, folders, "sqlite");
  assert.equal(next.problem, null);
  assert.equal(next.rollouts.readDocument("a"), 1);
});

test("without a store, or with one that can't be used, rollouts are kept in memory", async (t) => {
  const folders = await openFolders(t);
  const inMemory = await open(t, folders, "memory");
  await inMemory.rollouts.change((rollouts) => rollouts.writeDocument("a", 1));
  assert.equal(inMemory.rollouts.readDocument("a"), 1);
  claimDataFolder(folders);
  mkdirSync(folders.database);
  const unusable = await open(t, folders, "sqlite");
  assert.match(unusable.problem ?? "", /can't be used/);
  assert.equal(unusable.rollouts.readDocument("a"), undefined);
  await unusable.rollouts.change((rollouts) => rollouts.writeDocument("a", 2));
  assert.equal(unusable.rollouts.readDocument("a"), 2);
});

async function openFolders(t: TestContext): Promise<Folders> {
  const home = await temporaryFolder(t);
  return locateFolders(home, isolatedEnvironment(home));
}

async function open(t: TestContext, folders: Folders, kind: Configuration["store"]["kind"]): Promise<Records> {
  const records = await openRecords({
    configuration: { ...defaultConfiguration, store: { ...defaultConfiguration.store, kind } },
    folders,
    clock: systemClock,
    config: {},
    maskText: (text) => text,
    processes: { identity: { pid: process.pid, startTime: "1", bootId: "boot" }, isAlive: () => true },
    emit: (type, payload) => t.diagnostic(`${type} ${JSON.stringify(payload)}`),
  });
  afterTest(t, () => records.close());
  return records;
}
