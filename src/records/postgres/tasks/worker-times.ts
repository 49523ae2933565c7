/** How long whoever works on tasks may be silent. */
export interface WorkerTimes {
  /** How often a worker says that it is alive. */
  readonly beatMs: number;
  /** A worker that was silent for so long watches nothing any more. */
  readonly silentMs: number;
  /** A task that nobody has watched for so long is lost. */
  readonly lostMs: number;
}

/** Noticed at the latest after 15 s: silence, half a beat until somebody looks, and something for a slow server. */
export const usualWorkerTimes: WorkerTimes = { beatMs: 5000, silentMs: 10_000, lostMs: 60_000 };
