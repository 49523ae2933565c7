import { createHash } from "node:crypto";
import type { Job } from "../../core/job.ts";

/** How much after its time each run of a job starts: the same each time, and different for jobs that share their times. */
export function delayOf({ id, jitterMs }: Pick<Job, "id" | "jitterMs">): number {
  if (jitterMs <= 0) return 0;
  return createHash("sha256").update(id).digest().readUInt32BE(0) % (jitterMs + 1);
}
