import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../core/process.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import type { CommandExit } from "./run-request.ts";

/** `process.json`: all that another runtime needs to find, judge and end what was started here. */
export interface ProcessRecord {
  readonly kind: "command" | "peer" | "background";
  readonly executionId: string;
  readonly owner: ProcessIdentity;
  /** Null until it was started; a runtime killed in between left at most marked processes. */
  readonly child: ProcessIdentity | null;
  /** In a PID namespace of its own. */
  readonly contained: boolean;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly startedAt: number;
  /** Lives on when its owner ends. */
  readonly keep: boolean;
  readonly ownerSession: string | null;
  /** Missing names that were masked while it ran. Records of earlier versions do not say it. */
  readonly masks?: readonly string[];
  /** Missing names that must be missing afterwards as well. */
  readonly swept?: readonly string[];
  /** Places in writable folders that it can't swap for something else; left out when no sandbox holds it. */
  readonly pins?: readonly string[];
  readonly exit: CommandExit | null;
  readonly exitedAt: number | null;
  /** It was ended by us. Records of earlier versions do not say it. */
  readonly stopped?: boolean;
}

/** Replaces the file whole: a reader, or a kill -9 in the middle, never sees half of it. */
export function writeRecord(folder: string, record: ProcessRecord): void {
  const temporary = join(folder, "process.json.new");
  writeFileSync(temporary, `${JSON.stringify(toWire(record))}\n`, { mode: 0o600 });
  renameSync(temporary, join(folder, "process.json"));
}

/** Undefined when there is none yet, or when it is not one of ours. */
export function readRecord(folder: string): ProcessRecord | undefined {
  let value: unknown;
  try {
    value = fromWire(JSON.parse(readFileSync(join(folder, "process.json"), "utf8")));
  } catch {
    return undefined;
  }
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is ProcessRecord {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Partial<ProcessRecord>;
  return (
    typeof record.kind === "string" &&
    typeof record.executionId === "string" &&
    isIdentity(record.owner) &&
    (record.child === null || isIdentity(record.child))
  );
}

function isIdentity(value: ProcessIdentity | undefined): value is ProcessIdentity {
  return (
    typeof value === "object" &&
    value !== null &&
    Number.isSafeInteger(value.pid) &&
    typeof value.startTime === "string" &&
    typeof value.bootId === "string"
  );
}
