import { spawnSync } from "node:child_process";
import { clipText } from "../../core/text.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";

/** A whole list is as dear as one row, so the rows of a list answer the questions that follow at once. */
const freshMs = 20;

/** For macOS, through `ps`. It shows neither sessions nor, reliably, the environment of other processes. */
export function psProcessTable(): ProcessTable {
  let rows = new Map<number, ProcessEntry>();
  let readAt = Number.NEGATIVE_INFINITY;
  const list = (): ProcessEntry[] => {
    const read = readRows(["-A"]);
    rows = new Map(read.map((entry) => [entry.pid, entry]));
    readAt = performance.now();
    return read;
  };
  return {
    bootId: run("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"]).trim(),
    seesEnvironment: false,
    idsSince: () => undefined,
    isThread: () => false,
    processIds: () => list().map(({ pid }) => pid),
    find: (pid) => (performance.now() - readAt < freshMs ? rows.get(pid) : readRows(["-p", String(pid)])[0]),
    childrenOf: (pid) => list().filter((entry) => entry.parentPid === pid && entry.alive),
    mayBeRunningElsewhere: () => false,
    orderOf: (startTime) => Date.parse(startTime),
    hasVariable: () => false,
    writesTo: () => false,
    describe: (pid) => clipText(run("/bin/ps", ["-ww", "-p", String(pid), "-o", "command="]).trim(), 200),
  };
}

function readRows(selection: readonly string[]): ProcessEntry[] {
  const text = run("/bin/ps", [...selection, "-o", "pid=,ppid=,pgid=,stat=,lstart="]);
  return text.split("\n").flatMap((row) => parseRow(row) ?? []);
}

function parseRow(row: string): ProcessEntry | undefined {
  const fields = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(row);
  if (!fields) return undefined;
  const [, pid, parentPid, groupId, state, startTime] = fields as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    pid: Number(pid),
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    sessionId: 0,
    startTime,
    startOrder: Date.parse(startTime),
    alive: !state.startsWith("Z"),
    kernel: pid === "0",
    stopped: state.startsWith("T"),
  };
}

function run(program: string, args: readonly string[]): string {
  // LC_ALL: the start time is read as a date, and dates have languages.
  const { stdout } = spawnSync(program, args, { encoding: "utf8", env: { LC_ALL: "C", TZ: "UTC" }, maxBuffer: 64e6 });
  return stdout ?? "";
}
