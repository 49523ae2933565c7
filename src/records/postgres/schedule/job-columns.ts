import type { Job, JobChange } from "../../../core/job.ts";
import { fromWire, toWire } from "../../../core/wire.ts";
import { fromKey, toKey } from "../../store-rules.ts";
import type { Row } from "../postgres-connection.ts";
import { damaged } from "../postgres-error.ts";

/** What may change of a job; the rest is its body. */
const changing: { readonly [Key in keyof Required<JobChange>]: string } = {
  paused: "paused",
  plannedUntilAt: "planned_until_at",
  nextAt: "next_at",
  countedFromAt: "counted_from_at",
};

export const jobColumns = ["id", "name", "body", ...Object.values(changing), "version"]
  .map((name) => `jobs.${name}`)
  .join(", ");

export function changedJobColumns(set: JobChange): [name: string, value: unknown][] {
  const keys = (Object.keys(changing) as (keyof JobChange)[]).filter((key) => set[key] !== undefined);
  return keys.map((key) => [changing[key], key === "paused" ? keepJson(set.paused) : set[key]]);
}

export function allJobColumns(job: Job): [name: string, value: unknown][] {
  const { id, name, version, paused, plannedUntilAt, nextAt, countedFromAt, ...fixed } = job;
  return [
    ["id", toKey(id)],
    ["name", toKey(name)],
    ["body", JSON.stringify(toWire(fixed))],
    ["version", version],
    ...changedJobColumns({ paused, plannedUntilAt, nextAt, countedFromAt }),
  ];
}

export function jobFromColumns(row: Row, store: string): Job {
  try {
    const paused = row["paused"] as string | null;
    const fixed = fromWire(JSON.parse(String(row["body"]))) as Omit<Job, keyof JobChange | "id" | "name" | "version">;
    return {
      ...fixed,
      id: fromKey(String(row["id"])),
      name: fromKey(String(row["name"])),
      paused: paused === null ? null : (fromWire(JSON.parse(paused)) as Job["paused"]),
      plannedUntilAt: Number(row["planned_until_at"]),
      nextAt: row["next_at"] as number | null,
      countedFromAt: Number(row["counted_from_at"]),
      version: Number(row["version"]),
    };
  } catch (thrown) {
    throw damaged(store, `the job ${String(row["id"])} can't be read`, { cause: thrown });
  }
}

function keepJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(toWire(value));
}
