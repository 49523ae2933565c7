import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProcessIdentity } from "../../core/process.ts";
import { identify } from "./process-identity-check.ts";
import { readInitPid } from "../sandbox/namespace.ts";
import { markerOf, type ProcessRecord } from "../run/run-folder.ts";
import type { ProcessTable } from "./process-table.ts";
import type { StopTarget } from "./stop-tree.ts";

/** Everything in a run's folder that processes write to. */
const outputs = ["stdout", "stdout.pipe", "output", "output.pipe"];
const outputNames = [...outputs, "stderr", "stderr.pipe", "status", "messages", "info"];

/** How to find the processes of a run that somebody else started, from what stands in its folder. */
export function targetOf(
  table: ProcessTable,
  { name, folder, record }: { name: string; folder: string; record: ProcessRecord | undefined },
): StopTarget {
  const marker = markerOf(join(dirname(folder), name));
  // The log of a background process is written by its keeper, which ends after it. Those of earlier versions write to it themselves.
  const isLogOurs = existsSync(join(folder, "output.pipe"));
  const names = isLogOurs ? outputNames.filter((file) => file !== "output") : outputNames;
  return {
    marker,
    root: record?.child ?? null,
    outputPaths: new Set(names.map((file) => join(folder, file))),
    namespace: record?.contained
      ? { init: findInit(table, { folder, record, marker }), isBusy: () => false, release: () => Promise.resolve() }
      : null,
  };
}

/** The number in the file counts only if it is still the first process's: the child of the one we know, or marked. */
function findInit(
  table: ProcessTable,
  { folder, record, marker }: { folder: string; record: ProcessRecord; marker: string },
): () => ProcessIdentity | null {
  const pid = record.child?.bootId === table.bootId ? readInitPid(join(folder, "info")) : null;
  const entry = pid === null ? undefined : table.find(pid);
  const isInit =
    entry !== undefined &&
    (entry.parentPid === record.child?.pid ||
      table.writesTo(entry.pid, new Set(outputs.map((file) => join(folder, file)))) ||
      // A shielded one lets nobody see what it has open; what it started does.
      table.childrenOf(entry.pid).some((child) => table.hasVariable(child.pid, marker)));
  const identity = isInit ? identify(table, entry.pid) : null;
  return () => identity;
}
