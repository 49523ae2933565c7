import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import type { ExecutionQuery } from "../../src/core/stores.ts";
import { openDatabase } from "../../src/records/sqlite/database.ts";
import { listExecutions } from "../../src/records/sqlite/list-calls.ts";
import { createSqliteStore } from "../../src/records/sqlite/sqlite-call-store.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { afterTest } from "../support/after-test.ts";
import { count } from "../support/counts.ts";
import { temporaryDatabase } from "./open-temporary.ts";
import { planOf, recording, type Asked } from "./recording-database.ts";

test("among many executions a list reads as many rows as it shows, along an index [D6]", async (t) => {
  const database = await openDatabase({ path: await temporaryDatabase(t), clock: systemClock });
  afterTest(t, () => database.close());
  const store = createSqliteStore(database);
  const total = count({ quick: 5000, full: 100_000 });
  const ids: string[] = [];
  for (let saved = 0; saved < total; saved += 1000) {
    const block = Array.from({ length: 1000 }, (_, index) => {
      const state = index % 50 === 0 ? "failed" : "completed";
      const call = makeExecution({ toolId: index === 3 ? "rare" : "read", conversationId: `ses_${index % 40}` });
      return complete(call, { state });
    });
    ids.push(...block.map(({ id }) => id));
    await store.save(block);
  }
  const middle = ids[total / 2]!;
  const queries: readonly (readonly [query: ExecutionQuery, index: RegExp])[] = [
    [{ limit: 50 }, /USING INDEX sqlite_autoindex_executions_1 \(id>\? AND id<\?\)/],
    [{ limit: 50, beforeId: middle }, /USING INDEX sqlite_autoindex_executions_1 \(id>\? AND id<\?\)/],
    [{ limit: 50, afterId: middle }, /USING INDEX sqlite_autoindex_executions_1 \(id>\? AND id<\?\)/],
    [{ limit: 50, states: ["failed"] }, /USING INDEX executions_by_state \(state=\? AND id>\? AND id<\?\)/],
    [{ limit: 50, states: ["pending", "running"] }, /USING INDEX executions_by_state/],
    [{ limit: 50, conversationId: "ses_7" }, /USING INDEX executions_by_conversation/],
  ];
  for (const [query, index] of queries) {
    const asked: Asked[] = [];
    const found = await listExecutions(recording(database, asked), query);
    const shown = JSON.stringify(query);
    assert.ok(found.length <= query.limit, shown);
    assert.equal(
      asked.reduce((sum, { rows }) => sum + rows, 0),
      found.length,
      shown,
    );
    for (const each of asked) {
      const steps = await planOf(database, each);
      assert.equal(steps.length, 1, steps.join("; "));
      assert.match(steps[0]!, /^SEARCH executions /);
      assert.match(steps[0]!, index);
    }
  }
});

test("where no index leads, only so many rows are looked through as may be [D6]", async (t) => {
  const database = await openDatabase({ path: await temporaryDatabase(t), clock: systemClock });
  afterTest(t, () => database.close());
  const rare = complete(makeExecution({ toolId: "rare" }));
  const others = Array.from({ length: 4500 }, () => complete(makeExecution()));
  await createSqliteStore(database).save([rare, ...others]);
  const asked: Asked[] = [];
  const query = { limit: 20, toolId: "rare" };
  assert.deepEqual(await listExecutions(recording(database, asked), { ...query, mostRows: 2000 }), []);
  // A step is 1,000 rows: its end is found in the index, then the rows in between are compared.
  assert.equal(asked.length, 4);
  assert.deepEqual(
    (await listExecutions(database, query)).map(({ id }) => id),
    [rare.id],
  );
});
