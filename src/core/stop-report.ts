/**
 * How sure we are that nothing of a stopped call still runs, best first.
 * - `namespace`: its PID namespace is gone, and the kernel took every process with it
 * - `marker`: no process carries its marker, belongs to its session or tree, or holds its output files
 * - `group`: no process is left in its group and tree (where other processes' environment can't be read)
 * - `cooperative`: it ran inside this process and returned after its signal
 * - `none`: it did not return in time; it may still be running
 */
export type StopProof = (typeof stopProofs)[number];
export const stopProofs = ["namespace", "marker", "group", "cooperative", "none"] as const;

export interface ProcessNote {
  readonly pid: number;
  readonly command: string;
}

export interface StopReport {
  readonly proof: StopProof;
  /** Every process that we ended, whether it took SIGTERM or needed SIGKILL. */
  readonly killed: readonly ProcessNote[];
  /** Processes that are still alive although we tried. */
  readonly survivors: readonly ProcessNote[];
}

/** One call may have stopped several things: the weakest proof counts, and every process is listed. */
export function mergeStopReports(a: StopReport, b: StopReport): StopReport {
  return {
    proof: stopProofs[Math.max(stopProofs.indexOf(a.proof), stopProofs.indexOf(b.proof))] ?? "none",
    killed: [...a.killed, ...b.killed],
    survivors: [...a.survivors, ...b.survivors],
  };
}
