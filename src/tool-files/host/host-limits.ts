export interface HostLimits {
  /** How many hosts live at once. */
  readonly hosts: number;
  /** How many files are read at once. */
  readonly describing: number;
  /** From the start of the process until the file is imported. */
  readonly loadMs: number;
  readonly checkMs: number;
  /** How long a call may take to return after it was asked to stop; then its process is ended. */
  readonly cancelMs: number;
  /** How long `close()` of a tool may take. */
  readonly closeMs: number;
  /** A host without calls ends after this. */
  readonly idleMs: number;
  /** Of one host. */
  readonly memoryMb: number;
  /** Printed while calls are under way; past it the process is ended. */
  readonly printedBytes: number;
}

export const defaultHostLimits: HostLimits = {
  hosts: 16,
  describing: 4,
  loadMs: 15_000,
  checkMs: 5000,
  cancelMs: 500,
  closeMs: 5000,
  idleMs: 10 * 60_000,
  memoryMb: 1024,
  printedBytes: 64 * 1024 * 1024,
};
