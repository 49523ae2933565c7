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
    idsSince: () => undefined,
    isThread: () => false,
    hasVariable: () => false,
    writesTo: () => false,
    describe: String,
    mayBeRunningElsewhere: () => false,
    ...processes,
  };
}

/** With each list there is one more process that has just ended: a shell that starts programs all the time. */
function tableWithNewZombies(): ProcessTable {
  let last = 1000;
  return tableOf({
    processIds: () => [process.pid, ++last],
    find: (pid) => (pid >= 1000 ? { ...leader(pid, "50"), alive: false } : undefined),
  });
}

const target = {
  marker: "MARK=1",
  root: { pid: 400, startTime: "10", bootId: "boot" },
  outputPaths: new Set<string>(),
};

interface Later {
  /** The ids given since the last question, one list for each question. */
  readonly given: readonly (readonly number[])[];
  /** Who can be seen, after so many questions. */
  readonly seen: (pid: number, questions: number) => ProcessEntry | undefined;
  readonly isThread?: (pid: number) => boolean;
}

/** A table that tells which ids were given; all that can be seen is ours. */
function tableWithIds({ given, seen, isThread = () => false }: Later): ProcessTable {
  let questions = -1;
  return {
    ...tableOf({ processIds: () => [], find: (pid) => seen(pid, questions) }),
    hasVariable: () => true,
    isThread,
    idsSince(earlier) {
      if (earlier === null) return { last: 1000, ids: [] };
      const ids = given[++questions] ?? [];
      return { last: ids.at(-1) ?? earlier, ids };
    },
  };
}

const look = (table: ProcessTable): unknown => {
  const { victims, complete } = findVictims(table, target, { known: new Map() });
  return { pids: victims.map(({ pid }) => pid), complete };
};

test("where ids tell what is new, programs that come and go all the time do not make a look incomplete [E4]", () => {
  const given = Array.from({ length: 100 }, (_, index) => [1001 + index]);
  assert.deepEqual(look(tableWithIds({ given, seen: () => undefined })), { pids: [], complete: true });
  assert.deepEqual(look(tableWithNewZombies()), { pids: [], complete: false });
  const endless = { ...tableWithIds({ given, seen: () => undefined }), idsSince: () => ({ last: 1, ids: [1001] }) };
  assert.deepEqual(look(endless), { pids: [], complete: false });
});

test("what one that has gone left behind is found by its later id, also when it can be seen only a moment later [E4]", () => {
  const gone = tableWithIds({
    given: [[1001], [1002], [1003]],
    seen: (pid) => (pid === 1003 ? leader(pid, "50") : undefined),
  });
  assert.deepEqual(look(gone), { pids: [1003], complete: true });
  const late = tableWithIds({
    given: [[1001]],
    seen: (pid, questions) => (questions > 0 ? leader(pid, "50") : undefined),
  });
  assert.deepEqual(look(late), { pids: [1001], complete: true });
});

test("a thread has an id as well, and is no process to kill [E4]", () => {
  const table = tableWithIds({
    given: [[1001, 1002]],
    seen: (pid) => leader(pid, "50"),
    isThread: (pid) => pid === 1002,
  });
  assert.deepEqual(look(table), { pids: [1001], complete: true });
});

test("a process in the middle of an exec leaves a look incomplete, whenever it turns up [E4]", () => {
  let lists = 0;
  const table = {
    ...tableOf({ processIds: () => [1000 + Math.floor(lists++ / 3)], find: (pid) => leader(pid, "50") }),
    hasVariable: () => undefined,
  };
  assert.deepEqual(findVictims(table, target, { known: new Map() }), { victims: [], complete: false });
});

test("when the first process of a namespace has ended, that is proof, whatever else comes and goes [E4]", async () => {
  const init = { pid: 401, startTime: "11", bootId: "boot" };
  const enclosed = {
    ...target,
    namespace: { init: () => init, isBusy: () => false, release: async () => undefined },
  };
  let nowMs = 0;
  const clock = { ...systemClock, monotonic: () => (nowMs += 100) };
  const stop = await stopTree(enclosed, { table: tableWithNewZombies(), clock, graceMs: 200 });
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
  const known = new Map([[500, "20"]]);
  const signalled: number[] = [];
  const found = ({ pid }: ProcessEntry): void => void signalled.push(pid);
  const { victims } = findVictims(tableWithRecycledNumber(), target, { known, found });
  assert.deepEqual(victims, []);
  assert.deepEqual(signalled, []);
});
