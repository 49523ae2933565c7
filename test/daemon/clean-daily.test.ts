import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { createId } from "../../src/core/ids.ts";
import { claimDataFolder } from "../../src/records/claim-data-folder.ts";
import { locateFolders, type Folders } from "../../src/config/folders.ts";
import { openJournalReader } from "../../src/records/audit-log/log-reader.ts";
import { openSqliteStore } from "../../src/records/sqlite/sqlite-call-store.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { isolatedEnvironment, until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openDaemon } from "./support/daemon.ts";

const day = 24 * 60 * 60_000;

/** A call that ended long ago, and its output. */
async function addOld(folders: Folders, name: string): Promise<{ readonly id: string; readonly output: string }> {
  const at = Date.now() - 60 * day;
  const store = await openSqliteStore({ path: folders.database, clock: systemClock });
  const id = createId("call", at);
  await store.save([complete(makeExecution({ id, createdAt: at }), { completedAt: at + 5 })]);
  await store.close();
  mkdirSync(folders.outputs, { recursive: true, mode: 0o700 });
  const output = join(folders.outputs, `${name}.txt`);
  writeFileSync(output, "old");
  utimesSync(output, at / 1000, at / 1000);
  return { id, output };
}

function prunedIn(folders: Folders): unknown[] {
  const lines = readFileSync(join(folders.logs, "chat_log.jsonl"), "utf8").trimEnd().split("\n");
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => type === "pruned")
    .map(({ what, count }) => [what, count]);
}

test("a daemon cleans by itself soon after its start and every day, and the log tells of it [D2] [D4]", async (t) => {
  const home = await temporaryFolder(t);
  const env = isolatedEnvironment(home);
  const folders = locateFolders(home, env);
  claimDataFolder(folders);
  const first = await addOld(folders, "first");
  const clock = createManualClock();
  const { daemon, runtime, told } = await openDaemon(t, { home, clock });
  assert.ok(await runtime.get(first.id));
  clock.advance(60_000);
  await until("the first is gone", async () => !(await runtime.get(first.id)) && !existsSync(first.output));
  const second = await addOld(folders, "second");
  await until("the next one is planned", () => {
    clock.advance(day);
    return !existsSync(second.output);
  });
  assert.equal(await runtime.get(second.id), undefined);
  await daemon.close();
  assert.deepEqual(prunedIn(folders), [
    ["executions", 1],
    ["outputs", 1],
    ["executions", 1],
    ["outputs", 1],
  ]);
  assert.deepEqual(told, []);
  assert.equal((await openJournalReader(home, env).verify()).ok, true);
});

test("a daemon that stops leaves the rest for the next time, and records in memory have nothing to clean [D4]", async (t) => {
  const home = await temporaryFolder(t);
  const folders = locateFolders(home, isolatedEnvironment(home));
  claimDataFolder(folders);
  const old = await addOld(folders, "old");
  const { runtime } = await openDaemon(t, { home, clock: createManualClock() });
  const stopped = await runtime.clean({ signal: AbortSignal.abort() });
  assert.deepEqual([stopped.executions.count, stopped.outputs.count], [0, 0]);
  assert.equal(existsSync(old.output), true);
  const { executions, outputs } = await runtime.clean();
  assert.deepEqual([executions.count, outputs.count], [1, 1]);
  const forgetful = await openDaemon(t, { config: { settings: { store: { kind: "memory" } } } });
  assert.equal((await forgetful.runtime.clean()).executions.count, 0);
  assert.equal(existsSync(forgetful.folders.database), false);
});
