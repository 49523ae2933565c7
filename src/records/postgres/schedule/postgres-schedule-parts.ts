import type { RunChange } from "../../../core/schedule-store.ts";
import type { OwnerRoll } from "../tasks/owner-heartbeats.ts";
import type { PostgresConnection } from "../postgres-connection.ts";
import type { Telling } from "../tasks/notifications.ts";

/** What the parts of the store for jobs and runs share. */
export interface ScheduleParts {
  readonly connection: PostgresConnection;
  readonly roll: OwnerRoll;
  readonly tell: Telling;
  /** Whose jobs and runs they are, as it is kept. */
  readonly scope: string;
  /** What this process wanted to write when the connection broke: it may be there. */
  readonly unsure: Map<string, RunChange>;
}
