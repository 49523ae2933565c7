import type { Clock } from "../../core/clock.ts";
import type { ProcessTable } from "./process-table.ts";
import { markerOf } from "../run/run-folder.ts";
import type { Run } from "../run/run-folder.ts";
import { stopTree } from "./stop-tree.ts";

/** Ends, without a grace, what a start that failed half way may have left: all of it carries the marker. Never rejects. */
export async function endMarked(
  run: Run,
  { table, clock }: { readonly table: ProcessTable; readonly clock: Clock },
): Promise<void> {
  const target = { marker: markerOf(run.folder), root: null, outputPaths: new Set<string>(), namespace: null };
  try {
    await stopTree(target, { table, clock, graceMs: 0 });
  } catch {
    // Too many files are open to look at anything, and so there were to start anything.
  }
}
