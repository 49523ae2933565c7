import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/core/clock.ts";
import type { SessionLeases } from "../../src/core/session.ts";
import { openDatabase } from "../../src/records/sqlite/database.ts";
import { createMemorySessionLeases } from "../../src/records/memory/memory-stores.ts";
import { createSqliteSessionLeases } from "../../src/records/sqlite/sqlite-session-leases.ts";
import { sessionLeasesContract } from "../contract/session-leases-contract.ts";
import { afterTest } from "../support/after-test.ts";
import { count } from "../support/counts.ts";
import { temporaryDatabase } from "./open-temporary.ts";

sessionLeasesContract("memory", async () => createMemorySessionLeases());
sessionLeasesContract("SQLite", async (t) => openLeases(t, await temporaryDatabase(t)));

test("of several processes that want one session at once, exactly one gets it, also in place of a dead one [L11]", async (t) => {
  const path = await temporaryDatabase(t);
  const leases = await openLeases(t, path);
  for (let round = 0; round < count({ quick: 2, full: 30 }); round++) {
    const sessionId = `ses_${round}`;
    const dead = { sessionId, owner: { pid: 1, startTime: "0", bootId: "gone" }, takenAt: 5 };
    const replaces = round % 2 === 0 ? [] : [JSON.stringify(dead)];
    if (replaces.length > 0) await leases.take(dead);
    const racers = await Promise.all([1, 2, 3].map(() => startRacer(t, path, sessionId, ...replaces)));
    const outcomes = await Promise.all(racers.map((race) => race()));
    const winners = outcomes.filter(({ holder }) => holder === null).map(({ pid }) => pid);
    assert.equal(winners.length, 1);
    for (const { holder } of outcomes) assert.ok(holder === null || holder === winners[0]);
    const kept = (await leases.list()).filter((lease) => lease.sessionId === sessionId);
    assert.deepEqual(
      kept.map(({ owner }) => owner.pid),
      winners,
    );
  }
});

async function openLeases(t: TestContext, path: string): Promise<SessionLeases> {
  const database = await openDatabase({ path, clock: systemClock });
  afterTest(t, () => database.close());
  return createSqliteSessionLeases(database);
}

/** A process that stands ready; the returned function lets it go, and tells what it got. */
async function startRacer(
  t: TestContext,
  ...args: string[]
): Promise<() => Promise<{ pid: number; holder: number | null }>> {
  const program = fileURLToPath(new URL("../fixtures/store/take-lease.ts", import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => void child.kill("SIGKILL"));
  const reader = createInterface(child.stdout);
  const nextLine = async (): Promise<string> => {
    const [line] = (await once(reader, "line", { signal: AbortSignal.timeout(60_000) })) as [string];
    return line;
  };
  assert.equal(await nextLine(), "ready");
  return async () => {
    const told = nextLine();
    child.stdin.end("go\n");
    return JSON.parse(await told) as { pid: number; holder: number | null };
  };
}
