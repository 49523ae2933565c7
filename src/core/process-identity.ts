/** A process, told apart from any later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in the system's own unit, as text; equal text = same process. */
  readonly startTime: string;
  /** Tells boots apart and, where there are such, PID namespaces: a pid means something only inside one. */
  readonly bootId: string;
}
