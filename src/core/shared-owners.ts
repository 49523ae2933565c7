import type { ProcessIdentity } from "./process-identity.ts";

/** Who lives, where several machines share a store: nobody can look at a process of another one. */
export interface SharedOwners {
  /** False only when that process has ended, or nothing was heard of it for too long. Rejects when that can't be found out now. */
  isAlive(owner: ProcessIdentity): Promise<boolean>;
}
