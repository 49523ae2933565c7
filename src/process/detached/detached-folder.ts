import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { fromWire } from "../../core/wire.ts";
import type { CommandExit } from "../run/run-request.ts";
import { shimFiles } from "./detached-shim.ts";
import { readStatus } from "../sandbox/namespace.ts";

export interface DetachedExit extends CommandExit {
  /** It was ended because its time was up. */
  readonly timedOut: boolean;
}

/** Null when the shim has not got so far, or what stands there is not what it writes. */
export function readFacts(folder: string): ProcessIdentity | null {
  const facts = readJson(join(folder, shimFiles.facts)) as Partial<ProcessIdentity> | null;
  const { pid, startTime, bootId } = facts ?? {};
  if (!Number.isSafeInteger(pid) || typeof startTime !== "string" || typeof bootId !== "string") return null;
  return { pid: pid!, startTime, bootId };
}

/** Null as long as it has not ended, or nobody could write how. */
export function readExit(folder: string): DetachedExit | null {
  const exit = readJson(join(folder, shimFiles.exit)) as Partial<Record<string, unknown>> | null;
  if (!Number.isSafeInteger(exit?.["status"])) return null;
  const status = readStatus(`${Number(exit!["status"])}\n`, () => (exit!["signalled"] === true ? "Killed" : ""));
  return status && { ...status, timedOut: exit!["timedOut"] === true };
}

export function readGuard(folder: string): number | null {
  const pid = Number(readText(join(folder, shimFiles.guard)));
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}

/** False when the shim was first. After true it never begins, however late it comes. */
export function takeBeginning(folder: string): boolean {
  try {
    mkdirSync(join(folder, shimFiles.began));
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    // Whoever is late makes the folder itself, and must find there that it may not begin.
    return makeFolder(dirname(folder)) && makeFolder(folder) ? takeBeginning(folder) : true;
  }
}

/** False when the one above is missing, too: that was moved or removed as a whole, and is not made again. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return false;
    if (codeOf(thrown) === "EEXIST") return true;
    throw thrown;
  }
}

function readJson(path: string): unknown {
  try {
    return fromWire(JSON.parse(readText(path)));
  } catch {
    return null;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not there (yet, or any more)
  }
}
