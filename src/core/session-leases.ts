import type { ProcessIdentity } from "./process-identity.ts";

/** Who may write a session. */
export interface SessionLease {
  readonly sessionId: string;
  readonly owner: ProcessIdentity;
  readonly takenAt: number;
}

/** Where leases are kept. Each method is atomic; several processes may use one store at once. */
export interface SessionLeases {
  /**
   * Takes the lease if nobody has it, or if the very one that is to be replaced is still there. Returns nothing when it is
   * taken, else the lease that is in the way; also when that is one's own.
   */
  take(lease: SessionLease, replaces?: SessionLease): Promise<SessionLease | undefined>;
  /** False when that owner did not have it. */
  release(sessionId: string, owner: ProcessIdentity): Promise<boolean>;
  /** Oldest first. */
  list(): Promise<SessionLease[]>;
}
