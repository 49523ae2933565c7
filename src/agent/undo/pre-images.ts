import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { Execution } from "../../core/call.ts";
import type { FileChange } from "../../core/tool.ts";
import { fromWire, toWire } from "../../core/wire.ts";

/** What files were before the tools of a session changed them. */
export interface PreImages {
  /** From now on, changes in this session belong to this turn. */
  begin(sessionId: string, turnId: string): void;
  /** Only for sessions that have begun a turn here. Throws when it can't be kept: then the change must not be made. */
  readonly keep: (execution: Pick<Execution, "id" | "conversationId">, change: FileChange) => void;
  /** The changes of a turn, the first one first. */
  list(sessionId: string, turnId: string): KeptChange[];
  /** The bytes before a change; undefined when they are lost or damaged. */
  read(turn: TurnName, hash: string): Buffer | undefined;
}

export interface TurnName {
  readonly sessionId: string;
  readonly turnId: string;
}

/**
 * One change, as it was about to be made.
 * - `made`: there was no file
 * - `changed`: `beforeHash` is what it was
 * - `too_large`: what it was could not be kept
 */
export interface KeptChange {
  readonly kind: "made" | "changed" | "too_large";
  readonly executionId: string;
  /** Relative to the workdir. */
  readonly path: string;
  readonly beforeHash: string | null;
  readonly afterHash: string;
  readonly mode: number | null;
  /** So many of the folders right above it were made for it; left out: none. */
  readonly newFolders?: number;
}

/** Kept under `<folder>/undo/<session>/<turn>/`: a list of changes, and each content under its hash. */
export function openPreImages({ folder, workdir }: { readonly folder: string; readonly workdir: string }): PreImages {
  const turns = new Map<string, string>();

  function folderOf({ sessionId, turnId }: TurnName): string {
    return join(undoFolder(folder), safeName(sessionId), safeName(turnId));
  }

  return {
    begin: (sessionId, turnId) => void turns.set(sessionId, turnId),
    keep({ id, conversationId }, change) {
      const turnId = conversationId === null ? undefined : turns.get(conversationId);
      const path = relative(workdir, change.path);
      if (conversationId === null || turnId === undefined || isOutside(path)) return;
      const place = folderOf({ sessionId: conversationId, turnId });
      mkdirSync(place, { recursive: true, mode: 0o700 });
      const kept = describeChange(change, { path, executionId: id });
      if (change.before && kept.beforeHash !== null) keepContent(place, kept.beforeHash, change.before);
      // A line of its own, also after one that a crash cut short.
      appendFileSync(join(place, listName), `\n${JSON.stringify(toWire(kept))}\n`, { mode: 0o600 });
    },
    list: (sessionId, turnId) => readChanges(join(folderOf({ sessionId, turnId }), listName)),
    read(turn, hash) {
      const content = readIfThere(join(folderOf(turn), safeName(hash)));
      return content && hashOf(content) === hash ? content : undefined;
    },
  };
}

/** Below the data folder of a workdir. */
export function undoFolder(dataFolder: string): string {
  return join(dataFolder, "undo");
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function isOutside(path: string): boolean {
  return path === ".." || path.startsWith("../") || isAbsolute(path);
}

const listName = "changes.jsonl";

function describeChange(
  { before, mode, after, newFolders }: FileChange,
  { path, executionId }: { readonly path: string; readonly executionId: string },
): KeptChange {
  const kind = before ? "changed" : mode === null ? "made" : "too_large";
  return {
    kind,
    executionId,
    path,
    beforeHash: before && hashOf(before),
    afterHash: hashOf(after),
    mode,
    ...(newFolders === undefined ? {} : { newFolders }),
  };
}

function keepContent(place: string, hash: string, content: Uint8Array): void {
  const path = join(place, hash);
  if (existsSync(path)) return;
  // Whole or not at all: under its hash nobody would look for half of it.
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, path);
}

/** A line that a crash cut short is of a change that was not made. */
function readChanges(path: string): KeptChange[] {
  const lines = readIfThere(path)?.toString("utf8").split("\n") ?? [];
  return lines.flatMap((line) => {
    try {
      return line === "" ? [] : [fromWire(JSON.parse(line)) as KeptChange];
    } catch {
      return [];
    }
  });
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Ids are ours; whatever else came in their place must not name another folder. */
function safeName(id: string): string {
  return id.replaceAll(/[^\w-]/g, "_");
}
