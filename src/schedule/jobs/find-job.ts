import { RuntimeError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import type { Job } from "../../core/job.ts";

/** What is shorter fits by chance, and is more likely a name that was mistyped. */
const shortestPart = 4;

/** The job of this name or id, or the only one whose id begins or ends like this. Throws JOB_UNKNOWN for none and for several. */
export function findJob(jobs: readonly Job[], idOrName: string): Job {
  const wanted = idOrName.trim();
  const found = jobs.find(({ id, name }) => id === wanted || name === wanted);
  if (found) return found;
  const similar = findByPart(jobs, wanted);
  if (similar.length === 1) return similar[0]!;
  if (similar.length > 1) {
    const named = similar.slice(0, 3).map(({ id, name }) => `${name} (${id})`);
    const rest = similar.length > named.length ? ", …" : "";
    throw new RuntimeError(
      "JOB_UNKNOWN",
      `"${wanted}" could be ${similar.length} jobs: ${named.join(", ")}${rest}. Give the name, or more of the id.`,
    );
  }
  throw new RuntimeError("JOB_UNKNOWN", `There is no job "${wanted}": ${hintAt(jobs, wanted)}`);
}

function findByPart(jobs: readonly Job[], wanted: string): Job[] {
  const part = wanted.toLowerCase().replace(/^job_/, "");
  if (part.length < shortestPart) return [];
  return jobs.filter(({ id }) => id.endsWith(part) || id.startsWith(`job_${part}`));
}

function hintAt(jobs: readonly Job[], wanted: string): string {
  const names = jobs.map(({ name }) => name);
  const near = nearest(wanted, names);
  if (near.length > 0) return `did you mean ${near.map((name) => `"${name}"`).join(" or ")}?`;
  return names.length > 0 ? `there are ${names.slice(0, 10).join(", ")}.` : "there are none yet.";
}
