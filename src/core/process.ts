/** A process, told apart from any later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in the system's own unit, as text; equal text = same process. */
  readonly startTime: string;
  /** Tells boots apart and, where there are such, PID namespaces: a pid means something only inside one. */
  readonly bootId: string;
}

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

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
