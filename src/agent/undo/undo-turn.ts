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

/** Gives a file the content it had. Must judge the path anew; what it returns says why it was left as it is. */
export type PutFileBack = (file: FileToPutBack) => Promise<{ readonly refusal: string } | undefined>;

export interface FileToPutBack {
  /** Relative to the workdir. */
  readonly path: string;
  /** Null: there was no file. */
  readonly content: Buffer | null;
  readonly mode: number | null;
  /** The hash of what the tool left: with any other content it was changed since. Null: whatever it is. */
  readonly expectedHash: string | null;
}

export interface UndoReport {
  readonly turnId: string;
  /** They have their old content and mode again. */
  readonly restored: readonly string[];
  /** They did not exist before. */
  readonly removed: readonly string[];
  /** Left as they are; or, when also named above, only a part of their changes was taken back. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** What else was done in that turn, and stays. */
  readonly notUndone: readonly string[];
}

/**
 * Puts the files of the last turn that changed any back to what they were, the newest change first. The next time it is the
 * turn before. Undefined when there is none. The session notes it, and the model is told with the next message.
 */
export async function undoTurn(options: UndoOptions): Promise<UndoReport | undefined> {
  const { session, preImages, force } = options;
  const turn = findTurn(session, preImages, force);
  if (!turn) return undefined;
  const { restored, removed, skipped } = await putChangesBack(turn, options);
  const report = { turnId: turn.turnId, restored, removed, skipped, notUndone: findEffects(turn, options) };
  const files = [...restored, ...removed];
  if (files.length > 0) {
    session.append({ type: "undone", turnId: turn.turnId, files });
    session.append({ type: "remark", text: describeUndo(report) });
  }
  return report;
}

interface Turn {
  readonly turnId: string;
  readonly entries: readonly SessionEntry[];
  readonly changes: readonly KeptChange[];
}

function findTurn({ id, branch }: Session, preImages: PreImages, force: boolean): Turn | undefined {
  const undone = new Map<string, string[]>();
  for (const entry of branch) {
    if (entry.type === "undone") undone.set(entry.turnId, [...(undone.get(entry.turnId) ?? []), ...entry.files]);
  }
  let end = branch.length;
  for (let at = branch.length - 1; at >= 0; at--) {
    if (branch[at]!.type !== "user") continue;
    const turnId = branch[at]!.id;
    const files = undone.get(turnId);
    const changes = preImages.list(id, turnId);
    // With force, files that were left as they were the first time get another chance.
    const left = files === undefined || (force && changes.some(({ path }) => !files.includes(path)));
    if (left && changes.length > 0) return { turnId, entries: branch.slice(at, end), changes };
    end = at;
  }
  return undefined;
}

/** Of one file: what was done, and why not more. */
interface Outcome {
  readonly did?: "restored" | "removed";
  readonly refusal?: string;
}

async function putChangesBack(
  turn: Turn,
  options: UndoOptions,
): Promise<Pick<UndoReport, "restored" | "removed" | "skipped">> {
  const outcomes = new Map<string, Outcome>();
  for (const change of turn.changes.toReversed()) {
    const before = outcomes.get(change.path);
    // Once a file could not be put back a step, the steps before that do not fit any more.
    if (before?.refusal !== undefined) continue;
    outcomes.set(change.path, { ...before, ...(await putChangeBack(change, turn, options)) });
  }
  const pathsOf = (did: Outcome["did"]): string[] =>
    [...outcomes].flatMap(([path, outcome]) => (outcome.did === did ? [path] : []));
  return {
    restored: pathsOf("restored"),
    removed: pathsOf("removed"),
    skipped: [...outcomes].flatMap(([path, { did, refusal }]) => {
      if (refusal === undefined) return [];
      return [{ path, reason: did === undefined ? refusal : `Only its last changes were taken back. ${refusal}` }];
    }),
  };
}

async function putChangeBack(
  { kind, path, beforeHash, afterHash, mode }: KeptChange,
  { turnId }: Turn,
  { session, preImages, putBack, force }: UndoOptions,
): Promise<Outcome> {
  if (kind === "too_large") return { refusal: "It was too large for its old content to be kept." };
  const content = beforeHash === null ? null : preImages.read({ sessionId: session.id, turnId }, beforeHash);
  if (content === undefined) return { refusal: "Its old content was removed or damaged since." };
  const refused = await putBack({ path, content, mode, expectedHash: force ? null : afterHash });
  return refused ?? { did: content === null ? "removed" : "restored" };
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

function describeUndo({ restored, removed, skipped, notUndone }: UndoReport): string {
  const sentences = ["The person took your last file changes back."];
  if (restored.length > 0) sentences.push(`As they were before: ${restored.join(", ")}.`);
  if (removed.length > 0) sentences.push(`Removed again: ${removed.join(", ")}.`);
  if (skipped.length > 0) sentences.push(`Left as they are: ${skipped.map(({ path }) => path).join(", ")}.`);
  if (notUndone.length > 0) sentences.push("Commands of that turn were not undone.");
  return sentences.join(" ");
}
