import type { RolloutReader, RolloutTransaction } from "../../../core/stores.ts";
import type { RolloutState } from "../decision/rollout-state.ts";
import type { Corrections, Harm, Lane, LaneName, Rollout, ToolRelease } from "./tool-release.ts";

/** Where what is kept: one release for each tool; counters and harm for each rollout. */

export function readRelease(reader: RolloutReader, tool: string): ToolRelease | undefined {
  const document = reader.readDocument(releaseName(tool));
  // Of another time, or damaged: see `recall-damaged.ts`.
  return isRelease(document) && document.tool === tool ? document : undefined;
}

/** There is something, and it can't be understood. */
export function isReleaseDamaged(reader: RolloutReader, tool: string): boolean {
  const name = releaseName(tool);
  return readRelease(reader, tool) === undefined && reader.listDocuments(name).includes(name);
}

/** The tools whose release can't be understood. */
export function listDamaged(reader: RolloutReader): string[] {
  const tools = reader.listDocuments("release/").map((name) => name.slice("release/".length));
  return tools.filter((tool) => readRelease(reader, tool) === undefined);
}

export function writeRelease(transaction: RolloutTransaction, release: ToolRelease): void {
  transaction.writeDocument(releaseName(release.tool), release);
}

export function listReleases(reader: RolloutReader): ToolRelease[] {
  const names = reader.listDocuments("release/");
  return names.flatMap((name) => readRelease(reader, name.slice("release/".length)) ?? []);
}

function releaseName(tool: string): string {
  return `release/${tool}`;
}

export interface Counters {
  readonly rolloutId: string;
  readonly lane: LaneName;
}

export function readState(reader: RolloutReader, { rolloutId, lane }: Counters): RolloutState | undefined {
  return readCounters(reader, `rollout/${rolloutId}/${lane}`);
}

/** Damaged counters begin again: what they knew is lost, and nothing is decided by it. */
function readCounters(reader: RolloutReader, name: string): RolloutState | undefined {
  const document = reader.readDocument(name);
  return isState(document) ? document : undefined;
}

export function writeState(transaction: RolloutTransaction, { rolloutId, lane }: Counters, state: RolloutState): void {
  transaction.writeDocument(`rollout/${rolloutId}/${lane}`, state);
}

/** By kind of input. */
export function readKindStates(reader: RolloutReader, counters: Counters): Record<string, RolloutState> {
  const prefix = kindPrefix(counters);
  return Object.fromEntries(
    reader.listDocuments(prefix).flatMap((name) => {
      const state = readCounters(reader, name);
      return state ? [[name.slice(prefix.length), state] as const] : [];
    }),
  );
}

export function listKinds(reader: RolloutReader, counters: Counters): string[] {
  const prefix = kindPrefix(counters);
  return reader.listDocuments(prefix).map((name) => name.slice(prefix.length));
}

export function readKindState(reader: RolloutReader, counters: Counters, kind: string): RolloutState | undefined {
  return readCounters(reader, `${kindPrefix(counters)}${kind}`);
}

export function writeKindState(
  transaction: RolloutTransaction,
  counters: Counters,
  { kind, state }: { readonly kind: string; readonly state: RolloutState },
): void {
  transaction.writeDocument(`${kindPrefix(counters)}${kind}`, state);
}

function kindPrefix({ rolloutId, lane }: Counters): string {
  return `rollout/${rolloutId}/${lane}/kind/`;
}

export function readHarm(reader: RolloutReader, rolloutId: string): Harm {
  const harm = reader.readDocument(`rollout/${rolloutId}/harm`) as Harm | undefined;
  return harm ?? { harmed: 0, saved: 0, calls: [] };
}

export function writeHarm(transaction: RolloutTransaction, rolloutId: string, harm: Harm): void {
  transaction.writeDocument(`rollout/${rolloutId}/harm`, harm);
}

export function readCorrections(reader: RolloutReader, rolloutId: string): Corrections {
  const corrections = reader.readDocument(`rollout/${rolloutId}/corrections`) as Corrections | undefined;
  return corrections ?? { canary: { undo: 0, feedback: 0 }, stable: { undo: 0, feedback: 0 } };
}

export function writeCorrections(transaction: RolloutTransaction, rolloutId: string, corrections: Corrections): void {
  transaction.writeDocument(`rollout/${rolloutId}/corrections`, corrections);
}

/** The counters of a rollout that is over; what happened stays in the events. */
export function removeCounters(transaction: RolloutTransaction, rolloutId: string): void {
  transaction.removeDocuments(`rollout/${rolloutId}/`);
  transaction.removeMarks(rolloutId);
}

/** Whether a document has all that is relied on: it may be of another time, or damaged. */
function isRelease(document: unknown): document is ToolRelease {
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
function isState(document: unknown): document is RolloutState {
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
