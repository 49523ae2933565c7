import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeStopReports, stopProofs, type StopReport } from "../../src/core/process.ts";

test("of two reports the weaker proof counts, in either order [E2]", () => {
  const bestFirst = ["namespace", "marker", "group", "cooperative", "none"] as const;
  assert.deepEqual([...stopProofs], [...bestFirst]);
  for (const [at, better] of bestFirst.entries()) {
    for (const worse of bestFirst.slice(at)) {
      assert.equal(mergeStopReports(report(better), report(worse)).proof, worse);
      assert.equal(mergeStopReports(report(worse), report(better)).proof, worse);
    }
  }
});

test("every process of both reports is kept [E2]", () => {
  const first: StopReport = { proof: "marker", killed: [{ pid: 1, command: "a" }], survivors: [] };
  const second: StopReport = {
    proof: "group",
    killed: [{ pid: 2, command: "b" }],
    survivors: [{ pid: 3, command: "c" }],
  };
  assert.deepEqual(mergeStopReports(first, second), {
    proof: "group",
    killed: [
      { pid: 1, command: "a" },
      { pid: 2, command: "b" },
    ],
    survivors: [{ pid: 3, command: "c" }],
  });
  assert.equal(first.killed.length, 1);
});

function report(proof: StopReport["proof"]): StopReport {
  return { proof, killed: [], survivors: [] };
}
