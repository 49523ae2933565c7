import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import type { Execution } from "../../src/core/call.ts";
import type { ExecutionStore } from "../../src/core/stores.ts";
import { createMemoryStore } from "../../src/records/memory/memory-call-store.ts";
import { createStoreLedger } from "../../src/records/ledger.ts";
import type { WriteFailure } from "../../src/records/write-behind.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { lane } from "../support/require.ts";
import { mountTmpfs, tmpfsAvailable } from "../support/tmpfs.ts";
import { openStore, temporaryDatabase } from "./open-temporary.ts";

test("a call that must not be lost is committed when `opened` and `settled` return, with nothing to wait for", async (t) => {
  const store = await openStore(t, await temporaryDatabase(t));
  const { ledger } = makeLedger(store);
  const execution = makeExecution();
  assert.equal(ledger.opened(execution, "never"), undefined);
  assert.deepEqual(await store.get(execution.id), execution);
  await setImmediate();
  assert.equal(ledger.settled(complete(execution), "check"), undefined);
  assert.deepEqual(await store.get(execution.id), complete(execution));
});

test("calls that open in the same turn are committed together", async (t) => {
  const { store, saves } = counted(await openStore(t, await temporaryDatabase(t)));
  const { ledger } = makeLedger(store);
  const executions = Array.from({ length: 100 }, () => makeExecution());
  await Promise.all(executions.map(async (execution) => ledger.opened(execution, "never")));
  assert.equal(saves().length, 2, "the first at once, the others together");
  assert.deepEqual(await store.list({ limit: 1000 }), executions.toReversed());
});

test("a call that is safe to repeat is written behind: once, in its last form, with the others", async (t) => {
  const { store, saves } = counted(await openStore(t, await temporaryDatabase(t)));
  const clock = manualClock();
  const { ledger } = makeLedger(store, clock);
  const executions = Array.from({ length: 50 }, () => makeExecution());
  for (const execution of executions) {
    ledger.waiting({ ...execution, state: "pending" });
    assert.equal(ledger.opened(execution, "safe"), undefined);
    assert.equal(ledger.settled(complete(execution), "safe"), undefined);
  }
  assert.deepEqual(await store.list({ limit: 1000 }), []);
  clock.advance(20);
  assert.deepEqual(
    await store.list({ limit: 1000 }),
    executions.toReversed().map((execution) => complete(execution)),
  );
  assert.deepEqual(saves(), [50]);
});

test("calls without a pause, which leave no timer a turn, are written all the same", async (t) => {
  const store = await openStore(t, await temporaryDatabase(t));
  const { ledger } = makeLedger(store);
  const first = makeExecution();
  await ledger.settled(complete(first), "safe");
  const since = performance.now();
  while (performance.now() - since < 30) await ledger.settled(complete(makeExecution()), "safe");
  assert.deepEqual(await store.get(first.id), complete(first));
  for (let index = 0; index < 500; index++) await ledger.settled(complete(makeExecution()), "safe");
  assert.ok((await store.list({ limit: 1000 })).length >= 300);
  await ledger.flush();
});

test("a call that waits for a person is seen by others, and its later forms replace it", async (t) => {
  const store = await openStore(t, await temporaryDatabase(t));
  const { ledger } = makeLedger(store);
  const execution = makeExecution();
  const pending = { ...execution, state: "pending" as const };
  ledger.waiting(pending);
  await ledger.flush();
  assert.deepEqual(await store.get(execution.id), pending);
  ledger.waiting(pending);
  assert.equal(ledger.opened(execution, "never"), undefined);
  await ledger.flush();
  assert.deepEqual(await store.get(execution.id), execution, "the queued older form did not come after it");
});

test("with the store locked by another process a call waits, and is committed once it is free", async (t) => {
  const path = await temporaryDatabase(t);
  const store = await openStore(t, path);
  const { ledger } = makeLedger(store);
  const blocker = new DatabaseSync(path);
  t.after(() => blocker.close());
  blocker.exec("BEGIN IMMEDIATE");
  const execution = makeExecution();
  const opened = ledger.opened(execution, "never");
  const safe = Array.from({ length: 300 }, () => complete(makeExecution()));
  for (const each of safe) void ledger.settled(each, "safe");
  assert.ok(opened instanceof Promise);
  setTimeout(() => blocker.exec("COMMIT"), 100);
  await opened;
  assert.deepEqual(await store.get(execution.id), execution);
  await ledger.flush();
  assert.equal((await store.list({ limit: 1000 })).length, 301);
});

test("a store that can't keep up makes its callers wait instead of filling memory", async (t) => {
  const path = await temporaryDatabase(t);
  const store = await openStore(t, path);
  const { ledger } = makeLedger(store);
  const blocker = new DatabaseSync(path);
  t.after(() => blocker.close());
  blocker.exec("BEGIN IMMEDIATE");
  let waited: Promise<void> | undefined;
  let calls = 0;
  while (!waited && calls < 20_000) {
    waited = ledger.settled(complete(makeExecution()), "safe");
    calls += 1;
  }
  assert.ok(calls < 20_000, "no call had to wait");
  blocker.exec("COMMIT");
  await waited;
  await ledger.flush();
  assert.equal((await store.list({ limit: Infinity })).length, calls);
});

test(
  "on a full disk a call is refused before it runs; an outcome is kept, told, and written later",
  lane("tmpfs", tmpfsAvailable()),
  async (t) => {
    const folder = mountTmpfs(t, "1m");
    const store = await openStore(t, join(folder, "deckhand.db"));
    const { ledger, failures } = makeLedger(store);
    const [running, safe] = [makeExecution(), makeExecution()];
    assert.equal(ledger.opened(running, "never"), undefined);
    fill(join(folder, "filler"));
    const large = { ok: true, output: "x".repeat(60_000) } as const;
    const outcome = complete(running, { result: large });
    const full = { code: "STORE_FULL" };
    await setImmediate();
    await assert.rejects(Promise.resolve(ledger.opened(makeExecution({ toolInput: large }), "never")), full);
    await setImmediate();
    await assert.rejects(Promise.resolve(ledger.settled(outcome, "never")), full);
    assert.equal(ledger.settled(complete(safe, { result: large }), "safe"), undefined);
    await assert.rejects(ledger.flush(), full);
    assert.deepEqual(
      failures.map(({ id }) => id),
      [safe.id],
      "only what nobody waited for is told here, once",
    );
    assert.match(failures[0]!.error, /is full, so nothing was written: free some space and try again/);
    writeFileSync(join(folder, "filler"), "");
    await ledger.flush();
    assert.deepEqual(await store.get(running.id), outcome);
    assert.deepEqual(await store.get(safe.id), complete(safe, { result: large }));
    await ledger.flush();
  },
);

test("what could not be written is tried again when something else goes on", async () => {
  const { store, fail } = failing(createMemoryStore());
  const clock = manualClock();
  const { ledger, failures } = makeLedger(store, clock);
  const [lost, other] = [complete(makeExecution()), complete(makeExecution())];
  fail(true);
  await assert.rejects(Promise.resolve(ledger.settled(lost, "never")), /no luck/);
  clock.advance(1000);
  fail(false);
  await setImmediate();
  assert.equal(ledger.settled(other, "never"), undefined);
  clock.advance(20);
  assert.deepEqual(await store.get(lost.id), lost);
  assert.deepEqual(failures, []);
});

test("an older form that could not be written never comes after a newer one", async () => {
  const { store, fail } = failing(createMemoryStore());
  const { ledger } = makeLedger(store, manualClock());
  const execution = makeExecution();
  fail(true);
  ledger.waiting({ ...execution, state: "pending" });
  await assert.rejects(ledger.flush(), /no luck/);
  fail(false);
  assert.equal(ledger.opened(execution, "never"), undefined);
  await ledger.flush();
  assert.equal((await store.get(execution.id))?.state, "running");
});

test("a store that stays broken costs bounded memory", async () => {
  const { store, fail } = failing(createMemoryStore());
  const { ledger, failures } = makeLedger(store, manualClock());
  fail(true);
  for (let index = 0; index < 3000; index++) void ledger.settled(complete(makeExecution()), "safe");
  await assert.rejects(ledger.flush(), /no luck/);
  assert.equal(failures.length, 3000, "each is told once");
  fail(false);
  await ledger.flush();
  assert.equal((await store.list({ limit: 10_000 })).length, 500);
});

test("nothing is queued, timed or registered when all is written", async (t) => {
  const store = await openStore(t, await temporaryDatabase(t));
  const before = process.listenerCount("exit");
  const ledgers = Array.from({ length: 12 }, () => makeLedger(store).ledger);
  for (const ledger of ledgers) void ledger.settled(complete(makeExecution()), "safe");
  assert.equal(process.listenerCount("exit"), before + 1);
  await Promise.all(ledgers.map((ledger) => ledger.flush()));
  assert.equal(process.listenerCount("exit"), before);
  assert.deepEqual(
    process.getActiveResourcesInfo().filter((resource) => resource === "Timeout"),
    [],
  );
});

for (const ending of ["return", "exit", "throw"]) {
  test(`a program that ends by ${ending} before the 20 ms are over still leaves its records`, async (t) => {
    const path = await temporaryDatabase(t);
    const program = fileURLToPath(new URL("../fixtures/store/end-at-once.ts", import.meta.url));
    const { stdout, status } = spawnSync(process.execPath, [program, path, ending], {
      encoding: "utf8",
      timeout: 30_000,
    });
    assert.equal(status, ending === "throw" ? 1 : 0);
    const store = await openStore(t, path);
    assert.equal((await store.get(stdout.trim()))?.state, "completed");
  });
}

test("a memory store is written at once; what is safe to repeat, when it has ended", async () => {
  const store = createMemoryStore();
  const { ledger } = makeLedger(store, manualClock());
  const execution = makeExecution();
  assert.equal(ledger.opened(execution, "safe"), undefined);
  assert.equal(await store.get(execution.id), undefined);
  assert.equal(ledger.opened(execution, "never"), undefined);
  assert.deepEqual(await store.get(execution.id), execution);
  assert.equal(ledger.settled(complete(execution), "safe"), undefined);
  assert.deepEqual(await store.get(execution.id), complete(execution));
  await ledger.flush();
});

test("a closed store is told by `opened` and `settled`, never by `waiting`", async (t) => {
  for (const store of [createMemoryStore(), await openStore(t, await temporaryDatabase(t))]) {
    const { ledger } = makeLedger(store, manualClock());
    await store.close();
    ledger.waiting(makeExecution());
    const closed = { code: "STORE_CLOSED" };
    await assert.rejects(async () => ledger.opened(makeExecution(), "never"), closed);
    await assert.rejects(async () => ledger.settled(complete(makeExecution()), "never"), closed);
  }
});

function makeLedger(store: ExecutionStore, clock: Clock = systemClock) {
  const failures: WriteFailure[] = [];
  const ledger = createStoreLedger({ store, clock, onFailed: (failure) => failures.push(failure) });
  return { ledger, failures };
}

/** The same store, and how many rows each transaction had. */
function counted(inner: ExecutionStore): { store: ExecutionStore; saves: () => number[] } {
  const sizes: number[] = [];
  return {
    saves: () => sizes,
    store: {
      ...inner,
      saveNow(executions) {
        const done = inner.saveNow?.(executions) ?? false;
        if (done) sizes.push(executions.length);
        return done;
      },
    },
  };
}

/** A store on a file that may or may not work. */
function failing(inner: ExecutionStore): { store: ExecutionStore; fail: (fails: boolean) => void } {
  let fails = false;
  const check = (): void => {
    if (fails) throw new Error("no luck");
  };
  return {
    fail: (now) => (fails = now),
    store: {
      ...inner,
      isInMemory: false,
      saveNow(executions: readonly Execution[]) {
        check();
        return inner.saveNow?.(executions) ?? false;
      },
      async save(executions) {
        check();
        await inner.save(executions);
      },
    },
  };
}

/** Time that stands still until it is told to go on. */
function manualClock(): Clock & { advance(ms: number): void } {
  let now = 1000;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now,
    after(delayMs, callback) {
      const timer = { at: now + delayMs, callback };
      timers.push(timer);
      return () => (timers = timers.filter((each) => each !== timer));
    },
    advance(ms) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { callback } of due) callback();
    },
  };
}

function fill(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(2 ** 21));
  } catch {
    // As much as fits.
  }
}
