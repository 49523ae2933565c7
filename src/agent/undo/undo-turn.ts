import { dirname } from "node:path";
import { callsOf, type CallPart } from "../../core/message.ts";
import type { Session, SessionEntry } from "../../core/session.ts";
import type { KeptChange, PreImages } from "./pre-images.ts";

export interface UndoOptions {
  readonly session: Session;
  readonly preImages: PreImages;
  readonly putBack: PutFileBack;
  /** One line that says what a call did which can't be undone; undefined for one that changed nothing. */
  readonly effectOf: (call: CallPart) => string | undefined;
  /** Also files that somebody else changed since: what they wrote is lost. */
  readonly force: boolean;
}

/** Gives a file the content it had. Must judge the path anew. */
export type PutFileBack = (file: FileToPutBack) => Promise<PutBack>;

/** `already`: it is as it was, so nothing was done. `refused`: it was left as it is, and `force` may help. */
export type PutBack =
  | { readonly state: "done" | "already" }
  | { readonly state: "refused"; readonly reason: string; readonly forceHelps: boolean };

export interface FileToPutBack {
  /** Relative to the workdir. */
  readonly path: string;
  /** Null: there was no file. */
  readonly content: Buffer | null;
  readonly mode: number | null;
  /** The hash of what the tool left: with any other content it was changed since. Null: whatever it is. */
  readonly expectedHash: string | null;
  /** With a file that did not exist, so many of the folders right above it go as well, those that are empty by then. */
  readonly newFolders: number;
}

export interface UndoReport {
  readonly turnId: string;
  /** They have their old content and mode again. */
  readonly restored: readonly string[];
  /** They did not exist before. */
  readonly removed: readonly string[];
  /** They were as before already: somebody else saw to that. */
  readonly alreadyBack: readonly string[];
  /** Left as they are; or, when also named above, only a part of their changes was taken back. */
  readonly skipped: readonly SkippedFile[];
  /** What else was done in that turn, and stays. */
  readonly notUndone: readonly string[];
  /** The calls whose results the model had when it made the last change that was put back; newest first, as execution ids. */
  readonly usedCalls: readonly string[];
}

interface SkippedFile {
  readonly path: string;
  readonly reason: string;
  /** With `force` it is put back all the same. */
  readonly forceHelps: boolean;
}

/**
 * Puts the files of the last turn that changed any back to what they were, the newest change first. The next time it is the
 * turn before. Undefined when there is none. The session notes it, and the model is told with the next message.
 */
export async function undoTurn(options: UndoOptions): Promise<UndoReport | undefined> {
  const { session, preImages, force } = options;
  const turn = findTurn(session, preImages, force);
  if (!turn) return undefined;
  const { turnId } = turn;
  const putBack = await putChangesBack(turn, options);
  const report = {
    turnId,
    ...putBack,
    notUndone: findEffects(turn, options),
    usedCalls: findUsedCalls(turn, new Set([...putBack.restored, ...putBack.removed])),
  };
  const files = [...report.restored, ...report.removed, ...report.alreadyBack];
  const left = report.skipped.map(({ path }) => path);
  // What even force can't put back must not keep the person from undoing the turns before.
  if (files.length > 0 || force) {
    session.append({ type: "undone", turnId, files, ...(left.length > 0 ? { left } : {}) });
  }
  if (files.length > 0) session.append({ type: "remark", text: describeUndo(report) });
  return report;
}

interface Turn {
  readonly turnId: string;
  readonly entries: readonly SessionEntry[];
  readonly changes: readonly KeptChange[];
  /** Paths that an earlier undo put back. */
  readonly done: ReadonlySet<string>;
}

function findTurn({ id, branch }: Session, preImages: PreImages, force: boolean): Turn | undefined {
  const undone = new Map<string, Set<string>>();
  for (const entry of branch) {
    if (entry.type !== "undone") continue;
    const whole = entry.files.filter((path) => !entry.left?.includes(path));
    undone.set(entry.turnId, new Set([...(undone.get(entry.turnId) ?? []), ...whole]));
  }
  let end = branch.length;
  for (let at = branch.length - 1; at >= 0; at--) {
    if (branch[at]!.type !== "user") continue;
    const turnId = branch[at]!.id;
    const done = undone.get(turnId);
    const changes = preImages.list(id, turnId);
    // With force, files that were left as they were the first time get another chance.
    const isLeft = done === undefined || (force && changes.some(({ path }) => !done.has(path)));
    if (isLeft && changes.length > 0) {
      return { turnId, entries: branch.slice(at, end), changes, done: done ?? new Set() };
    }
    end = at;
  }
  return undefined;
}

/** Of one file: what was done, and why not more. */
interface Outcome {
  readonly did?: "restored" | "removed" | "nothing";
  readonly refusal?: Omit<SkippedFile, "path">;
}

async function putChangesBack(
  turn: Turn,
  options: UndoOptions,
): Promise<Pick<UndoReport, "restored" | "removed" | "alreadyBack" | "skipped">> {
  const outcomes = new Map<string, Outcome>();
  for (const change of turn.changes.toReversed()) {
    const before = outcomes.get(change.path);
    // Once a file could not be put back a step, the steps before that do not fit any more.
    if (turn.done.has(change.path) || before?.refusal !== undefined) continue;
    const outcome = await putChangeBack(change, turn, options);
    outcomes.set(change.path, outcome.did === "nothing" ? { ...outcome, ...before } : { ...before, ...outcome });
  }
  const pathsOf = (did: Outcome["did"]): string[] =>
    [...outcomes].flatMap(([path, outcome]) => (outcome.did === did ? [path] : []));
  return {
    restored: pathsOf("restored"),
    removed: pathsOf("removed"),
    alreadyBack: pathsOf("nothing").filter((path) => outcomes.get(path)?.refusal === undefined),
    skipped: [...outcomes].flatMap(([path, { did, refusal }]) => {
      if (refusal === undefined) return [];
      const isPart = did === "restored" || did === "removed";
      return [{ path, ...refusal, ...(isPart ? { reason: `${onlyPart} ${refusal.reason}` } : {}) }];
    }),
  };
}

const onlyPart = "Only its last changes were taken back.";

async function putChangeBack(
  { kind, path, beforeHash, afterHash, mode }: KeptChange,
  { turnId, changes }: Turn,
  { session, preImages, putBack, force }: UndoOptions,
): Promise<Outcome> {
  if (kind === "too_large") return refuse("It was too large for its old content to be kept.");
  const content = beforeHash === null ? null : preImages.read({ sessionId: session.id, turnId }, beforeHash);
  if (content === undefined) return refuse("Its old content was removed or damaged since.");
  const newFolders = countNewFolders(path, changes);
  const back = await putBack({ path, content, mode, expectedHash: force ? null : afterHash, newFolders });
  if (back.state === "refused") return { refusal: { reason: back.reason, forceHelps: back.forceHelps } };
  return { did: back.state === "already" ? "nothing" : content === null ? "removed" : "restored" };
}

function refuse(reason: string): Outcome {
  return { refusal: { reason, forceHelps: false } };
}

/** How many of the folders right above it the turn made, for whichever of its files: the last one to go takes them along. */
function countNewFolders(path: string, changes: Turn["changes"]): number {
  const made = new Set(changes.flatMap((change) => foldersAbove(change.path).slice(0, change.newFolders ?? 0)));
  const above = foldersAbove(path);
  const first = above.findIndex((folder) => !made.has(folder));
  return first === -1 ? above.length : first;
}

/** The nearest one first; without the workdir. */
function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) folders.push(folder);
  return folders;
}

function findEffects({ entries, changes }: Turn, { effectOf }: UndoOptions): string[] {
  const files = new Set(changes.map(({ executionId }) => executionId));
  const undoable = new Set(
    entries.flatMap((entry) => (entry.type === "call" && files.has(entry.executionId) ? [entry.callId] : [])),
  );
  return entries
    .flatMap((entry) => (entry.type === "assistant" ? callsOf(entry.parts) : []))
    .filter(({ callId }) => !undoable.has(callId))
    .flatMap((call) => effectOf(call) ?? []);
}

function findUsedCalls({ entries, changes }: Turn, putBack: ReadonlySet<string>): string[] {
  const made = new Set(changes.flatMap(({ path, executionId }) => (putBack.has(path) ? [executionId] : [])));
  const last = entries.findLastIndex((entry) => entry.type === "call" && made.has(entry.executionId));
  // Calls of the same reply ran beside it: the model did not know their results.
  const read = entries.findLastIndex(({ type }, index) => type === "results" && index < last);
  const calls = entries.slice(0, Math.max(0, read)).toReversed();
  return calls.flatMap((entry) => (entry.type === "call" ? [entry.executionId] : []));
}

function describeUndo({ restored, removed, alreadyBack, skipped, notUndone }: UndoReport): string {
  const sentences = ["The person took your last file changes back."];
  if (restored.length > 0) sentences.push(`As they were before: ${restored.join(", ")}.`);
  if (removed.length > 0) sentences.push(`Removed again: ${removed.join(", ")}.`);
  if (alreadyBack.length > 0) sentences.push(`They were so already: ${alreadyBack.join(", ")}.`);
  if (skipped.length > 0) sentences.push(`Left as they are: ${skipped.map(({ path }) => path).join(", ")}.`);
  if (notUndone.length > 0) sentences.push("Commands of that turn were not undone.");
  return sentences.join(" ");
}
