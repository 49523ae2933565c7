import assert from "node:assert/strict";
import { test } from "node:test";
import { findVictims } from "../../src/process/find-victims.ts";
import type { ProcessEntry, ProcessTable } from "../../src/process/process-table.ts";

/** A process that leads its own session, as everything that we start ourselves does. */
const leader = (pid: number, startTime: string): ProcessEntry => ({
  pid,
  parentPid: 1,
  groupId: pid,
  sessionId: pid,
  startTime,
  startOrder: Number(startTime),
  alive: true,
  kernel: false,
  stopped: false,
});

/** A table in which number 500 is free when it is first asked for, and a stranger's from then on. */
function tableWithRecycledNumber(): ProcessTable {
  let asked = 0;
  return {
    bootId: "boot",
    seesEnvironment: true,
    processIds: () => [1, 500, 501],
    orderOf: Number,
    find(pid) {
      if (pid === 500) return asked++ === 0 ? undefined : leader(500, "90");
      return pid === 501 ? { ...leader(501, "91"), parentPid: 500, sessionId: 500, groupId: 500 } : undefined;
    },
    childrenOf: () => [],
    hasVariable: () => false,
    writesTo: () => false,
    describe: String,
    mayBeRunningElsewhere: () => false,
  };
}

test("a stranger that got the number of one of ours is no victim, nor is what it started [E4]", () => {
  const root = { pid: 400, startTime: "10", bootId: "boot" };
  const target = { marker: "MARK=1", root, outputPaths: new Set<string>() };
  const known = new Map([[500, "20"]]);
  const signalled: number[] = [];
  const found = ({ pid }: ProcessEntry): void => void signalled.push(pid);
  const { victims } = findVictims(tableWithRecycledNumber(), target, { known, found });
  assert.deepEqual(victims, []);
  assert.deepEqual(signalled, []);
});
