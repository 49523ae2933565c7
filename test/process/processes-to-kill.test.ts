import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { findVictims } from "../../src/process/stop/processes-to-kill.ts";
import type { ProcessEntry, ProcessTable } from "../../src/process/stop/process-table.ts";
import { stopTree } from "../../src/process/stop/stop-tree.ts";

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

function tableOf(processes: Pick<ProcessTable, "processIds" | "find">): ProcessTable {
  return {
    bootId: "boot",
    seesEnvironment: true,
    orderOf: Number,
    childrenOf: () => [],
    hasVariable: () => false,
    writesTo: () => false,
    describe: String,
    mayBeRunningElsewhere: () => false,
    ...processes,
  };
}

/** With each list there is one more process that has just ended: a shell that starts programs all the time. */
function tableWithNewZombies(sessionId: number): ProcessTable {
  const shell = leader(900, "5");
  const ours = { ...leader(process.pid, "1"), sessionId: 950, groupId: 950 };
  let last = 1000;
  const zombie = (pid: number): ProcessEntry => ({ ...leader(pid, "50"), parentPid: 900, sessionId, alive: false });
  return tableOf({
    processIds: () => [process.pid, 900, ++last],
    find: (pid) => (pid === 900 ? shell : pid === process.pid ? ours : pid >= 1000 ? zombie(pid) : undefined),
  });
}

test("programs of strangers that end meanwhile do not make a look incomplete; those of unknown sessions do [E4]", () => {
  const root = { pid: 400, startTime: "10", bootId: "boot" };
  const target = { marker: "MARK=1", root, outputPaths: new Set<string>() };
  const look = (sessionId: number): unknown =>
    findVictims(tableWithNewZombies(sessionId), target, { known: new Map() });
  assert.deepEqual(look(900), { victims: [], complete: true });
  // Ours, that of a leader who is gone, and that of the command itself.
  for (const sessionId of [950, 777, 400]) assert.deepEqual(look(sessionId), { victims: [], complete: false });
});

test("a process in the middle of an exec leaves a look incomplete, whenever it turns up [E4]", () => {
  const target = {
    marker: "MARK=1",
    root: { pid: 400, startTime: "10", bootId: "boot" },
    outputPaths: new Set<string>(),
  };
  let lists = 0;
  const table = {
    ...tableOf({ processIds: () => [1000 + Math.floor(lists++ / 3)], find: (pid) => leader(pid, "50") }),
    hasVariable: () => undefined,
  };
  assert.deepEqual(findVictims(table, target, { known: new Map() }), { victims: [], complete: false });
});

test("when the first process of a namespace has ended, that is proof, whatever else comes and goes [E4]", async () => {
  const init = { pid: 401, startTime: "11", bootId: "boot" };
  const target = {
    marker: "MARK=1",
    root: { pid: 400, startTime: "10", bootId: "boot" },
    outputPaths: new Set<string>(),
    namespace: { init: () => init, isBusy: () => false, release: async () => undefined },
  };
  let nowMs = 0;
  const clock = { ...systemClock, monotonic: () => (nowMs += 100) };
  const stop = await stopTree(target, { table: tableWithNewZombies(777), clock, graceMs: 200 });
  assert.deepEqual(stop, { proof: "namespace", killed: [], survivors: [] });
});

/** A table in which number 500 is free when it is first asked for, and a stranger's from then on. */
function tableWithRecycledNumber(): ProcessTable {
  let asked = 0;
  return tableOf({
    processIds: () => [1, 500, 501],
    find(pid) {
      if (pid === 500) return asked++ === 0 ? undefined : leader(500, "90");
      return pid === 501 ? { ...leader(501, "91"), parentPid: 500, sessionId: 500, groupId: 500 } : undefined;
    },
  });
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
