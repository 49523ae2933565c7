import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { openStore, temporaryDatabase } from "./open-temporary.ts";

test("an outcome that is saved alone replaces what was under way, and stays [E5]", async (t) => {
  const store = await openStore(t, await temporaryDatabase(t));
  const running = makeExecution({ conversationId: "ses_1" });
  const outcome = complete(running);
  assert.equal(store.saveNow?.([running]), true);
  assert.equal(store.saveNow?.([outcome]), true);
  assert.equal(store.saveNow?.([complete(running, { note: "later" })]), true);
  assert.equal(store.saveNow?.([running]), true);
  assert.deepEqual(await store.list({ limit: 10, conversationId: "ses_1" }), [outcome]);
  assert.deepEqual(await store.list({ limit: 10, states: ["pending", "running"] }), []);
});

test("an outcome that is saved alone needs nothing before it [E5]", async (t) => {
  const store = await openStore(t, await temporaryDatabase(t));
  const outcome = complete(makeExecution());
  assert.equal(store.saveNow?.([outcome]), true);
  assert.deepEqual(await store.list({ limit: 10 }), [outcome]);
});

test("an outcome that belongs to another conversation by now is found there [E5]", async (t) => {
  const store = await openStore(t, await temporaryDatabase(t));
  const running = makeExecution({ conversationId: "ses_1" });
  const outcome = complete(running, { conversationId: "ses_2" });
  assert.equal(store.saveNow?.([running]), true);
  assert.equal(store.saveNow?.([outcome]), true);
  assert.deepEqual(await store.list({ limit: 10, conversationId: "ses_1" }), []);
  assert.deepEqual(await store.list({ limit: 10, conversationId: "ses_2" }), [outcome]);
});

test("a row that is saved alone while another process writes is not saved, and nothing is left open [E5]", async (t) => {
  const path = await temporaryDatabase(t);
  const store = await openStore(t, path);
  const running = makeExecution();
  assert.equal(store.saveNow?.([running]), true);
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  assert.equal(store.saveNow?.([complete(running)]), false);
  assert.equal(store.saveNow?.([makeExecution()]), false);
  other.exec("COMMIT");
  assert.deepEqual(await store.list({ limit: 10 }), [running]);
  assert.equal(store.saveNow?.([complete(running)]), true);
  assert.deepEqual(await store.get(running.id), complete(running));
});
