/** A process, told apart from any later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in the system's own unit, as text; equal text = same process. */
  readonly startTime: string;
  readonly bootId: string;
}
