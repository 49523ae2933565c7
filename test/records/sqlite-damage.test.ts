import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { openSqliteStore } from "../../src/records/sqlite/sqlite-call-store.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { openStore, temporaryDatabase } from "./open-temporary.ts";

const damaged =
  /^The store \/.* is damaged \(.+\): move the file away, together with its -wal and -shm, and start again with an empty history\.$/;

for (const [what, content] of [
  ["two bytes", Buffer.from("xy")],
  ["text", Buffer.from("this is a text and no database\n".repeat(1000))],
  ["noise", randomBytes(65_536)],
  ["the header of a database and nothing else", Buffer.from("SQLite format 3\0")],
  ["a header and noise", Buffer.concat([Buffer.from("SQLite format 3\0"), randomBytes(8176)])],
] as const) {
  test(`a file with ${what} is called damaged and stays as it was`, async (t) => {
    const path = await temporaryDatabase(t);
    writeFileSync(path, content, { mode: 0o644 });
    await assert.rejects(openSqliteStore({ path, clock: systemClock }), { code: "STORE_DAMAGED", message: damaged });
    assert.deepEqual(readFileSync(path), content);
    assert.equal(statSync(path).mode & 0o777, 0o644);
  });
}

test("a store that was cut short says so, at opening or at the first question that meets the damage", async (t) => {
  for (const part of [0.9, 0.5, 0.1]) {
    const path = await makeFilledStore(t);
    truncateSync(path, Math.floor(statSync(path).size * part));
    assert.equal(await useAll(path), "STORE_DAMAGED");
  }
});

test("noise in the middle of a store is noticed when it is met, and never as a raw error", async (t) => {
  const outcomes: string[] = [];
  for (let round = 0; round < 10; round++) {
    const path = await makeFilledStore(t);
    const pages = statSync(path).size / 4096;
    const file = openSync(path, "r+");
    for (let hit = 0; hit < 5; hit++) {
      writeSync(file, randomBytes(4096), 0, 4096, (1 + Math.floor(Math.random() * (pages - 1))) * 4096);
    }
    closeSync(file);
    outcomes.push(await useAll(path));
  }
  assert.ok(outcomes.includes("STORE_DAMAGED"), outcomes.join());
});

test("a record whose text is damaged still shows its columns, and hides no other", async (t) => {
  const path = await temporaryDatabase(t);
  const [broken, whole] = [complete(makeExecution({ conversationId: "ses_1" })), complete(makeExecution())];
  const first = await openStore(t, path);
  await first.save([broken, whole]);
  await first.close();
  const raw = new DatabaseSync(path);
  raw.prepare("UPDATE executions SET body = ? WHERE id = ?").run('{"id":"call_', broken.id);
  raw.close();
  const store = await openStore(t, path);
  const [newest, shown] = await store.list({ limit: 10 });
  assert.deepEqual(newest, whole);
  assert.deepEqual(shown, await store.get(broken.id));
  const { id, toolId, state, conversationId, note } = shown!;
  assert.deepEqual(
    { id, toolId, state, conversationId, note },
    {
      id: broken.id,
      toolId: "read",
      state: "completed",
      conversationId: "ses_1",
      note: "The stored record is damaged: only its id, tool, conversation and state could be read.",
    },
  );
});

test("noise in the place of the write-ahead log costs nothing that was in the database", async (t) => {
  const path = await makeFilledStore(t);
  writeFileSync(`${path}-wal`, randomBytes(50_000));
  writeFileSync(`${path}-shm`, randomBytes(32_768));
  const store = await openStore(t, path);
  assert.equal((await store.list({ limit: Infinity })).length, 400);
  await store.save([makeExecution()]);
});

async function makeFilledStore(t: TestContext): Promise<string> {
  const path = await temporaryDatabase(t);
  const store = await openStore(t, path);
  const output = "x".repeat(1000);
  await store.save(
    Array.from({ length: 400 }, () =>
      complete(makeExecution({ conversationId: "ses_1" }), { result: { ok: true, output } }),
    ),
  );
  await store.close();
  return path;
}

/** Opens, reads, writes and prunes everything; "fine", or the code of the first failure. */
async function useAll(path: string): Promise<string> {
  try {
    const store = await openSqliteStore({ path, clock: systemClock });
    try {
      await store.list({ limit: Infinity });
      await store.list({ limit: Infinity, conversationId: "ses_1", toolId: "read" });
      await store.save([makeExecution()]);
      store.saveNow?.([makeExecution()]);
      await store.prune(Number.MAX_SAFE_INTEGER);
    } finally {
      await store.close();
    }
    return "fine";
  } catch (thrown) {
    const { code, message } = thrown as { code: string; message: string };
    assert.match(message, damaged);
    return code;
  }
}
