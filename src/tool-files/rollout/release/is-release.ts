import type { RolloutState } from "../decision/rollout-state.ts";
import type { Lane, Rollout, ToolRelease } from "./tool-release.ts";

/** Whether a document has all that is relied on: it may be of another time, or damaged. */
export function isRelease(document: unknown): document is ToolRelease {
  if (!isRecord(document)) return false;
  const { v, tool, fileName, fileHash, stable, earlier, pinned, out, rollout, damage } = document;
  return (
    v === 1 &&
    [tool, fileName, fileHash].every(isText) &&
    isRecord(stable) &&
    isText(stable["hash"]) &&
    Array.isArray(earlier) &&
    earlier.every((each) => isRecord(each) && isText(each["hash"])) &&
    (pinned === null || (isRecord(pinned) && isText(pinned["reason"]))) &&
    isRecord(out) &&
    Object.values(out).every((each) => isRecord(each) && isText(each["reason"])) &&
    (rollout === null || isRollout(rollout)) &&
    (damage === undefined || (isRecord(damage) && isText(damage["reason"])))
  );
}

const statuses: readonly unknown[] = ["replaying", "blocked", "running", "rolled_back"] satisfies Rollout["status"][];

function isRollout(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { id, hash, reason, status, lanes } = value;
  const isNamed = [id, hash, reason].every(isText);
  return isNamed && statuses.includes(status) && isRecord(lanes) && isLane(lanes["live"]) && isLane(lanes["scheduled"]);
}

function isLane(value: unknown): value is Lane {
  return isRecord(value) && Number.isInteger(value["index"]) && typeof value["percent"] === "number";
}

/** The same for the counters of a rollout. */
export function isState(document: unknown): document is RolloutState {
  if (!isRecord(document)) return false;
  const { stage, canary, stable, routed, evidence, paired, open, history, latency, latencies } = document;
  return (
    isRecord(stage) &&
    typeof stage["percent"] === "number" &&
    [canary, stable].every((arm) => isRecord(arm) && typeof arm["calls"] === "number") &&
    [routed, history, latency, latencies].every(isRecord) &&
    [evidence, paired].every(
      (each) => isRecord(each) && ["lately", "stableLately", "pooled"].every((key) => isRecord(each[key])),
    ) &&
    isRecord(open) &&
    isRecord(open["canary"]) &&
    isRecord(open["stable"])
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
