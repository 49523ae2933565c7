import { accessSync, constants, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../core/errors.ts";

/** Somebody else is writing: the only failure that waiting can cure. */
export function isBusy(thrown: unknown): boolean {
  const code = sqliteCode(thrown);
  return code === sqlite.busy || code === sqlite.locked || code === sqlite.protocol;
}

/** Whatever SQLite or the file system threw, as one sentence that says what to do. RuntimeErrors pass. */
export function toStoreError(thrown: unknown, path: string): unknown {
  if (thrown instanceof RuntimeError) return thrown;
  const code = sqliteCode(thrown);
  return code === undefined ? fromSystem(thrown, path) : fromSqlite(thrown, code, path);
}

/** The primary result codes of SQLite that we tell apart (https://www.sqlite.org/rescode.html). */
const sqlite = {
  error: 1,
  permission: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  protocol: 15,
  authorization: 23,
  notDatabase: 26,
} as const;

function sqliteCode(thrown: unknown): number | undefined {
  if (codeOf(thrown) !== "ERR_SQLITE_ERROR") return undefined;
  const { errcode } = thrown as { errcode?: unknown };
  // The low byte is the primary code; the rest only details it.
  return typeof errcode === "number" ? errcode & 0xff : sqlite.error;
}

function fromSqlite(thrown: unknown, code: number, path: string): RuntimeError {
  const cause = { cause: thrown };
  const detail = messageOf(thrown);
  switch (code) {
    case sqlite.corrupt:
    case sqlite.notDatabase:
      return damaged(path, detail, cause);
    case sqlite.busy:
    case sqlite.locked:
    case sqlite.protocol:
      return new RuntimeError("STORE_BUSY", `The store ${path} is being written by others: try again.`, cause);
    case sqlite.full:
      return full(path, cause);
    case sqlite.readOnly:
      return readOnly(path, cause);
    case sqlite.permission:
    case sqlite.authorization:
    case sqlite.cantOpen:
    case sqlite.inputOutput:
      if (!hasSpace(path)) return full(path, cause);
      return isWritable(path) ? unavailable(path, detail, cause) : readOnly(path, cause);
    default:
      // A table or column that the version of the schema promises is not there.
      if (/^no such (table|column|index)/.test(detail)) return damaged(path, detail, cause);
      return unavailable(path, detail, cause);
  }
}

function fromSystem(thrown: unknown, path: string): unknown {
  const cause = { cause: thrown };
  switch (codeOf(thrown)) {
    case "EROFS":
    case "EPERM":
      return readOnly(path, cause);
    case "ENOSPC":
    case "EDQUOT":
      return full(path, cause);
    case "EACCES":
      return unavailable(path, "there is no permission for it", cause);
    case "ENOTDIR":
    case "EEXIST":
      return unavailable(path, "a part of its path is a file, not a folder", cause);
    case undefined:
      return thrown;
    default:
      return unavailable(path, messageOf(thrown), cause);
  }
}

/** For whoever can't or does not want to repair it now. */
export const workWithout = "set DECKHAND_STORE_KIND=memory to work without records";

export function damaged(path: string, detail: string, options?: ErrorOptions): RuntimeError {
  return new RuntimeError(
    "STORE_DAMAGED",
    `The store ${path} is damaged (${detail}): move the file away, together with its -wal and -shm, and start again with an empty history.`,
    options,
  );
}

function full(path: string, options: ErrorOptions): RuntimeError {
  return new RuntimeError(
    "STORE_FULL",
    `The disk that holds the store ${path} is full, so nothing was written: free some space and try again.`,
    options,
  );
}

export function readOnly(path: string, options: ErrorOptions): RuntimeError {
  return new RuntimeError(
    "STORE_READ_ONLY",
    `The store ${path} can't be written: give this user permission to write the file and its folder, or ${workWithout}.`,
    options,
  );
}

export function unavailable(path: string, detail: string, options?: ErrorOptions): RuntimeError {
  return new RuntimeError(
    "STORE_UNAVAILABLE",
    `The store ${path} can't be used: ${detail}. Correct that, move it away, or ${workWithout}.`,
    options,
  );
}

function hasSpace(path: string): boolean {
  try {
    const { bavail, ffree, files } = statfsSync(dirname(path));
    return bavail > 0 && (files === 0 || ffree > 0);
  } catch {
    return true; // Unknown: let SQLite's own words stand.
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT";
  }
}
