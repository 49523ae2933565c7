import assert from "node:assert/strict";
import { test } from "node:test";
import type { CountedCall } from "../../../src/tool-files/rollout/metrics/counted-call.ts";
import {
  countCall,
  forgetVersions,
  type MetricsKey,
  readFigures,
} from "../../../src/tool-files/rollout/metrics/metrics-aggregator.ts";
import { createMemoryRolloutStore } from "../../../src/records/memory/memory-rollout-store.ts";

const now = Date.UTC(2026, 10, 16);
const echo: MetricsKey = { tool: "echo", version: "echo@aa", route: "stable", lane: "live", kind: "text" };
const call: CountedCall = { at: now, outcome: "ok", latencyMs: 100, isRetry: false };
const failed: CountedCall = { ...call, outcome: "error", latencyMs: 2000 };

test("a call counts for its version, route, lane and kind of input, and for all kinds [V3]", async () => {
  const store = createMemoryRolloutStore();
  await store.change((transaction) => {
    for (let index = 0; index < 3; index++) countCall(transaction, echo, call);
    countCall(transaction, { ...echo, kind: "mode=upper,text" }, failed);
    countCall(transaction, { ...echo, version: "echo@bb", route: "canary" }, failed);
    countCall(transaction, { ...echo, lane: "scheduled" }, call);
    countCall(transaction, { ...echo, tool: "echo_tool", version: "echo_tool@aa" }, failed);
  });
  const rows = readFigures(store, "echo", now).map(({ lastCalls, lastMinutes, ...key }) => {
    assert.deepEqual(lastMinutes, lastCalls);
    return { ...key, calls: lastCalls.calls, errorRate: lastCalls.errorRate };
  });
  const stable = { version: "echo@aa", route: "stable", lane: "live" };
  const canary = { version: "echo@bb", route: "canary", lane: "live" };
  const scheduled = { ...stable, lane: "scheduled" };
  assert.deepEqual(rows, [
    { ...stable, kind: "all", calls: 4, errorRate: 0.25 },
    { ...stable, kind: "mode=upper,text", calls: 1, errorRate: 1 },
    { ...stable, kind: "text", calls: 3, errorRate: 0 },
    { ...canary, kind: "all", calls: 1, errorRate: 1 },
    { ...canary, kind: "text", calls: 1, errorRate: 1 },
    { ...scheduled, kind: "all", calls: 1, errorRate: 0 },
    { ...scheduled, kind: "text", calls: 1, errorRate: 0 },
  ]);
  assert.deepEqual(store.listDocuments("metrics/echo/scheduled"), [
    "metrics/echo/scheduled/stable/echo@aa/all",
    "metrics/echo/scheduled/stable/echo@aa/text",
  ]);
});

test("however many kinds there are, ten documents hold them, and none of their calls is lost [V3]", async () => {
  const store = createMemoryRolloutStore();
  for (let index = 0; index < 30; index++) {
    await store.change((transaction) => countCall(transaction, { ...echo, kind: `mode=${index % 15}` }, call));
  }
  const rows = readFigures(store, "echo", now).map(({ kind, lastCalls }) => [kind, lastCalls.calls]);
  assert.deepEqual(rows, [
    ["all", 30],
    ...Array.from({ length: 8 }, (_, index) => [`mode=${index}`, 2]),
    ["other", 14],
  ]);
});

test("a call that is counted for all kinds only counts once [V3]", async () => {
  const store = createMemoryRolloutStore();
  await store.change((transaction) => countCall(transaction, { ...echo, kind: "all" }, call));
  assert.deepEqual(
    readFigures(store, "echo", now).map(({ kind, lastCalls }) => [kind, lastCalls.calls]),
    [["all", 1]],
  );
});

test("names with slashes and percent signs do not get into each other's way [V3]", async () => {
  const store = createMemoryRolloutStore();
  const tool = "a/b%2F";
  const odd = { ...echo, tool, version: `${tool}@aa`, kind: "x/y%25" };
  await store.change((transaction) => {
    countCall(transaction, odd, call);
    countCall(transaction, { ...odd, tool: "a" }, call);
  });
  const [, row] = readFigures(store, tool, now);
  assert.equal(readFigures(store, tool, now).length, 2);
  assert.deepEqual([row?.version, row?.kind], [odd.version, odd.kind]);
  await store.change((transaction) => forgetVersions(transaction, "a", []));
  assert.deepEqual(readFigures(store, "a", now), []);
  assert.equal(readFigures(store, tool, now).length, 2);
});

test("versions that are no longer in use are forgotten, on all routes and lanes; others are kept [V3]", async () => {
  const store = createMemoryRolloutStore();
  await store.change((transaction) => {
    for (const version of ["echo@a", "echo@aa", "echo@bb"]) {
      countCall(transaction, { ...echo, version }, call);
      countCall(transaction, { ...echo, version, route: "canary", lane: "scheduled" }, call);
    }
    countCall(transaction, { ...echo, tool: "echo_tool", version: "echo_tool@zz" }, call);
  });
  await store.change((transaction) => forgetVersions(transaction, "echo", ["echo@aa"]));
  assert.deepEqual(
    new Set(readFigures(store, "echo", now).map(({ version, route }) => `${version} ${route}`)),
    new Set(["echo@aa stable", "echo@aa canary"]),
  );
  assert.equal(readFigures(store, "echo_tool", now).length, 2);
});

test("a damaged document begins anew, and others are read beside it [V3]", async () => {
  const store = createMemoryRolloutStore();
  await store.change((transaction) => {
    countCall(transaction, echo, call);
    transaction.writeDocument("metrics/echo/live/stable/echo@aa/text", { v: 1, calls: 7 });
    transaction.writeDocument("metrics/echo/elsewhere", 3);
  });
  assert.deepEqual(
    readFigures(store, "echo", now).map(({ kind }) => kind),
    ["all"],
  );
  await store.change((transaction) => {
    countCall(transaction, echo, failed);
    forgetVersions(transaction, "echo", ["echo@aa"]);
  });
  assert.deepEqual(
    readFigures(store, "echo", now).map(({ kind, lastCalls }) => [kind, lastCalls.calls]),
    [
      ["all", 2],
      ["text", 1],
    ],
  );
});

test("a transaction that fails counts nothing [V3]", async () => {
  const store = createMemoryRolloutStore();
  await store.change((transaction) => countCall(transaction, echo, call));
  const before = readFigures(store, "echo", now);
  await assert.rejects(
    store.change((transaction) => {
      countCall(transaction, echo, failed);
      throw new Error("no");
    }),
  );
  assert.deepEqual(readFigures(store, "echo", now), before);
});
