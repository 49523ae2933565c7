import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/core/clock.ts";
import { openSqliteStore } from "../../src/records/sqlite/sqlite-call-store.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { lane, rootLane } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { mountTmpfs, remount, tmpfsAvailable } from "../support/tmpfs.ts";
import { fastClock, openStore, temporaryDatabase } from "./open-temporary.ts";

const open = (path: string) => openSqliteStore({ path, clock: systemClock });
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("missing folders are made, private, and so are the file and what SQLite puts beside it", async (t) => {
  const umask = process.umask(0);
  t.after(() => void process.umask(umask));
  const folder = await temporaryFolder(t);
  const path = join(folder, "a", "b", "deckhand.db");
  const store = await openStore(t, path);
  await store.save([makeExecution()]);
  assert.deepEqual([join(folder, "a"), dirname(path)].map(mode), ["700", "700"]);
  assert.deepEqual([path, `${path}-wal`, `${path}-shm`].map(mode), ["600", "600", "600"]);
});

test("a store that others could read is made private when it is opened", async (t) => {
  const path = await temporaryDatabase(t);
  await (await open(path)).close();
  chmodSync(path, 0o644);
  const store = await openStore(t, path);
  await store.save([makeExecution()]);
  assert.deepEqual([path, `${path}-wal`, `${path}-shm`].map(mode), ["600", "600", "600"]);
});

test("an empty file becomes a store", async (t) => {
  const path = await temporaryDatabase(t);
  writeFileSync(path, "");
  const store = await openStore(t, path);
  await store.save([makeExecution()]);
  assert.equal((await store.list({ limit: 1 })).length, 1);
});

test("a path that is no file says so", async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, "file");
  writeFileSync(file, "text");
  const fifo = join(folder, "fifo");
  execFileSync("mkfifo", [fifo]);
  await assert.rejects(open(folder), unusable(`${folder} can't be used: it is a folder, and a file is needed`));
  await assert.rejects(open(fifo), unusable("it is not a regular file"));
  await assert.rejects(open(join(file, "deckhand.db")), unusable("a part of its path is a file, not a folder"));
  await assert.rejects(
    open(join(file, "deeper", "deckhand.db")),
    unusable("a part of its path is a file, not a folder"),
  );
  await assert.rejects(open(join(folder, "\0")), unusable("null bytes"));
});

test("the database of another program is refused and stays as it was", async (t) => {
  const path = await temporaryDatabase(t);
  const foreign = new DatabaseSync(path);
  foreign.exec("CREATE TABLE songs (title TEXT); PRAGMA user_version = 12");
  foreign.close();
  const before = readFileSync(path);
  await assert.rejects(open(path), unusable("it is the SQLite database of another program"));
  assert.deepEqual(readFileSync(path), before);
});

test("a store of a newer version is refused and stays as it was", async (t) => {
  const path = await temporaryDatabase(t);
  await (await open(path)).close();
  const newer = new DatabaseSync(path);
  newer.exec("PRAGMA user_version = 99");
  newer.close();
  const before = readFileSync(path);
  await assert.rejects(open(path), {
    code: "STORE_NEWER",
    message: `The store ${path} was written by a newer Deckhand (its version is 99, this one knows 11): update Deckhand, move the file away, or set DECKHAND_STORE_KIND=memory to work without records.`,
  });
  assert.deepEqual(readFileSync(path), before);
});

test("a store that is deleted or replaced while it is in use says so instead of writing into the void", async (t) => {
  for (const replaced of [false, true]) {
    const path = await temporaryDatabase(t);
    const store = await openStore(t, path, fastClock(1000));
    await store.save([makeExecution()]);
    rmSync(path);
    if (replaced) writeFileSync(path, "");
    await setTimeout(1);
    const gone = unusable("it was deleted or replaced while it was in use");
    await assert.rejects(store.save([makeExecution()]), gone);
    assert.throws(() => store.saveNow?.([makeExecution()]), gone);
  }
});

test(
  "a read-only file system says so, for a new store and for an old one",
  lane("tmpfs", tmpfsAvailable()),
  async (t) => {
    const folder = mountTmpfs(t, "1m");
    const path = join(folder, "deckhand.db");
    await (await open(path)).close();
    remount(folder, "ro");
    const readOnly = (place: string) => ({
      code: "STORE_READ_ONLY",
      message: `The store ${place} can't be written: give this user permission to write the file and its folder, or set DECKHAND_STORE_KIND=memory to work without records.`,
    });
    await assert.rejects(open(path), readOnly(path));
    await assert.rejects(open(join(folder, "new.db")), readOnly(join(folder, "new.db")));
    await assert.rejects(open(join(folder, "x", "new.db")), readOnly(join(folder, "x", "new.db")));
  },
);

test("a user without permission is told what is missing", rootLane(), async (t) => {
  const folder = await temporaryFolder(t);
  chmodSync(folder, 0o755);
  const cases = [
    { name: "unreadable", fileMode: 0o600, folderMode: 0o755, code: "STORE_UNAVAILABLE", text: "no permission" },
    { name: "read-only", fileMode: 0o444, folderMode: 0o777, code: "STORE_READ_ONLY", text: "can't be written" },
    { name: "read-only folder", fileMode: 0o666, folderMode: 0o555, code: "STORE_READ_ONLY", text: "can't be written" },
    { name: "closed folder", fileMode: 0o666, folderMode: 0o700, code: "STORE_UNAVAILABLE", text: "no permission" },
  ];
  for (const { name, fileMode, folderMode, code, text } of cases) {
    const place = join(folder, name);
    mkdirSync(place);
    const path = join(place, "deckhand.db");
    await (await open(path)).close();
    chownSync(path, 0, 0);
    chmodSync(path, fileMode);
    chmodSync(place, folderMode);
    const { code: told, message } = openAsNobody(path);
    assert.equal(told, code, `${name}: ${message}`);
    assert.ok(message.includes(text) && message.includes(path), `${name}: ${message}`);
  }
});

test(
  "on a full disk nothing is half-written, and with space again it works",
  lane("tmpfs", tmpfsAvailable()),
  async (t) => {
    const folder = mountTmpfs(t, "1m");
    const path = join(folder, "deckhand.db");
    const filler = join(folder, "filler");
    writeFileSync(filler, Buffer.alloc(256 * 1024));
    const store = await openStore(t, path);
    const saved: string[] = [];
    const full = await fillUp();
    assert.equal(full.code, "STORE_FULL");
    assert.equal(
      full.message,
      `The disk that holds the store ${path} is full, so nothing was written: free some space and try again.`,
    );
    const kept = await store.list({ limit: 1000 });
    assert.deepEqual(kept.map(({ id }) => id).sort(), saved, "whole batches only");
    assert.throws(() => store.saveNow?.(makeBatch()), { code: "STORE_FULL" });
    writeFileSync(filler, "");
    const batch = makeBatch();
    await store.save(batch);
    assert.equal((await store.list({ limit: 1000 })).length, saved.length + batch.length);

    async function fillUp(): Promise<{ code: string; message: string }> {
      for (let round = 0; round < 1000; round++) {
        const executions = makeBatch();
        try {
          await store.save(executions);
        } catch (thrown) {
          return thrown as { code: string; message: string };
        }
        saved.push(...executions.map(({ id }) => id));
      }
      throw new Error("a disk of 1 MB was never full");
    }
  },
);

test("a disk that is full from the start says so", lane("tmpfs", tmpfsAvailable()), async (t) => {
  const folder = mountTmpfs(t, "64k");
  try {
    writeFileSync(join(folder, "filler"), Buffer.alloc(128 * 1024));
  } catch {
    // As much as fits.
  }
  await assert.rejects(open(join(folder, "deckhand.db")), { code: "STORE_FULL" });
});

function makeBatch() {
  return Array.from({ length: 7 }, () => complete(makeExecution(), { result: { ok: true, output: "x".repeat(5000) } }));
}

function unusable(text: string) {
  return (thrown: { code?: string; message?: string }) => {
    assert.equal(thrown.code, "STORE_UNAVAILABLE", thrown.message);
    assert.ok(thrown.message?.includes(text), thrown.message);
    return true;
  };
}

function openAsNobody(path: string): { code: string; message: string } {
  const program = fileURLToPath(new URL("../fixtures/store/open-store.ts", import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [program, path, "65534"], { encoding: "utf8" });
  assert.ok(stdout, stderr);
  return JSON.parse(stdout) as { code: string; message: string };
}
