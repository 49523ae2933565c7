import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../../core/errors.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import { identify, isAlive } from "../stop/process-identity-check.ts";
import type { ProcessTable } from "../stop/process-table.ts";

export type PidLock =
  | {
      readonly taken: true;
      /** False: another one has it by now. What was merely removed is made again. */
      hold(): boolean;
      release(): void;
    }
  | { readonly taken: false; readonly holderPid: number; readonly reason: string };

/**
 * The pid file is a lock: it names a process by pid, start time and boot id, and is made whole or not at all. One whose
 * process has ended, or whose pid belongs to another process now, is taken over.
 */
export function takePidFile(path: string, table: ProcessTable, holder: Holder): PidLock {
  const me = identify(table, process.pid);
  if (!me)
    throw new RuntimeError("CONFIG_INVALID", "This process can't be found in the list of processes (is /proc there?).");
  const text = `${JSON.stringify(toWire(me))}\n`;
  // Two may find the same stale file: each try ends with somebody's whole file in its place.
  for (let attempt = 0; attempt < mostTries; attempt++) {
    if (make(path, text)) {
      return { taken: true, hold: () => holds(path, { text, table, holder }), release: () => release(path, text) };
    }
    const found = read(path);
    if (found === null) continue;
    const other = judge(path, found, { table, holder });
    if (other) return { taken: false, ...other };
    removeStale(path, found);
  }
  throw new RuntimeError("CONFIG_INVALID", `${path} can't be made: others keep making it. Try again.`);
}

const mostTries = 100;

/**
 * The same for a pid file that other programs read: it holds the bare pid, so that `kill $(cat FILE)` works, and the lock with the
 * identity of the process is a file beside it. A pid file of an earlier version holds the identity itself.
 */
export function takeBarePidFile(path: string, table: ProcessTable, holder: Holder): PidLock {
  const found = read(path);
  const beside = identityFile(path);
  const before = parse(read(beside) ?? "");
  const lock = takePidFile(beside, table, holder);
  if (!lock.taken) return { ...lock, reason: lock.reason.replace(beside, path) };
  const text = `${process.pid}\n`;
  // The pid of the process that held the lock before belongs to nobody, or to another program by now.
  const isLeftOver = found !== null && before !== null && found.trim() === String(before.pid);
  const other = found === null || isLeftOver ? null : judge(path, found, { table, holder });
  if (other) {
    lock.release();
    return { taken: false, ...other };
  }
  replace(path, text);
  return {
    taken: true,
    hold: () => lock.hold() && holdsBare(path, { text, table, holder }),
    release() {
      release(path, text);
      lock.release();
    },
  };
}

/** Holds the pid, the start time and the boot id of the process whose pid is in the pid file. */
function identityFile(path: string): string {
  return `${path}.identity`;
}

function holdsBare(path: string, { text, ...judging }: Judging & { readonly text: string }): boolean {
  try {
    const found = read(path);
    if (found === text) return true;
    if (found !== null && judge(path, found, judging)) return false;
    replace(path, text);
    return true;
  } catch {
    return true; // As for the lock itself.
  }
}

function replace(path: string, text: string): void {
  const whole = `${path}.${process.pid}`;
  try {
    writeFileSync(whole, text, { mode: 0o600 });
    renameSync(whole, path);
  } catch (thrown) {
    rmSync(whole, { force: true });
    throw new RuntimeError("CONFIG_INVALID", `The pid file ${path} can't be made: ${messageOf(thrown)}.`, {
      cause: thrown,
    });
  }
}

/** The process whose bare pid is in this file; null when none is. */
export function findBareHolder(path: string, table: ProcessTable): ProcessIdentity | null {
  return findHolder(identityFile(path), table) ?? findHolder(path, table);
}

/** The process that holds such a lock; null when none does. */
export function findHolder(path: string, table: ProcessTable): ProcessIdentity | null {
  const named = parse(read(path) ?? "");
  return named && isAlive(table, named) && !isForgotten(path, named, table) ? named : null;
}

/** Who holds a lock touches it now and then; one that can't be seen and has not done so for this long has ended. */
const silentMs = 30_000;
const touchEveryMs = 5000;

/** In a container there is no telling whether a process of another one runs: after its restart the one before is such. */
function isForgotten(path: string, { bootId }: ProcessIdentity, table: ProcessTable): boolean {
  if (bootId === table.bootId) return false;
  const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return touched !== undefined && Date.now() - touched > silentMs;
}

function touch(path: string): void {
  const now = Date.now();
  const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
  if (Math.abs(now - touched) >= touchEveryMs) utimesSync(path, now / 1000, now / 1000);
}

/** What kind of program it is, as a person says it. */
export type Holder = "watchdog" | "daemon";

interface Judging {
  readonly table: ProcessTable;
  readonly holder: Holder;
}

interface Other {
  readonly holderPid: number;
  readonly reason: string;
}

function judge(path: string, text: string, { table, holder }: Judging): Other | null {
  const named = parse(text);
  const pid = named?.pid ?? (/^\s*\d{1,10}\s*$/.test(text) ? Number(text) : 0);
  if (named) {
    if (!isAlive(table, named) || isForgotten(path, named, table)) return null;
    const where = named.bootId === table.bootId ? "" : ", in another container";
    const reason = `A ${holder} runs here already: process ${pid}${where}, says ${path}. One is enough; stop that one first.`;
    return { holderPid: pid, reason };
  }
  // Only a number, as other programs write it: whose it is can't be told.
  if (pid > 0 && table.find(pid)?.alive) {
    const reason = `${path} names process ${pid}, which runs, but not since when. If that is no ${holder}, remove the file.`;
    return { holderPid: pid, reason };
  }
  return null;
}

function parse(text: string): ProcessIdentity | null {
  try {
    const { pid, startTime, bootId } = Object(fromWire(JSON.parse(text))) as Partial<Record<string, unknown>>;
    if (typeof pid !== "number" || typeof startTime !== "string" || typeof bootId !== "string") return null;
    return { pid, startTime, bootId };
  } catch {
    return null;
  }
}

/** Under another name first, then linked: nobody sees half a file, and of two only one succeeds. */
function make(path: string, text: string): boolean {
  const whole = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(whole, text, { mode: 0o600 });
    linkSync(whole, path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw new RuntimeError("CONFIG_INVALID", `The pid file ${path} can't be made: ${messageOf(thrown)}.`, {
      cause: thrown,
    });
  } finally {
    rmSync(whole, { force: true });
  }
}

function read(path: string): string | null {
  try {
    // A pipe has nobody who writes to it, and a device no end: reading either may last for ever.
    if (!statSync(path).isFile()) {
      throw new RuntimeError(
        "CONFIG_INVALID",
        `The pid file ${path} can't be used: it is no plain file. Move it away, or name another one.`,
      );
    }
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return null;
    if (thrown instanceof RuntimeError) throw thrown;
    throw new RuntimeError("CONFIG_INVALID", `The pid file ${path} can't be read: ${messageOf(thrown)}.`, {
      cause: thrown,
    });
  }
}

/** Moved away and looked at again: in between, another one may have put its own there, which goes back. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (read(aside) !== stale) linkSync(aside, path);
  } catch (thrown) {
    // Gone already, or a third one was quicker: the next try sees who. Whose file was lost that way notices by `hold`.
    if (codeOf(thrown) !== "ENOENT" && codeOf(thrown) !== "EEXIST") throw thrown;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** A disk that is full, or a folder that is gone, takes nobody's lock away. */
function holds(path: string, { text, ...judging }: Judging & { readonly text: string }): boolean {
  try {
    const found = read(path);
    if (found === text) {
      touch(path);
      return true;
    }
    if (found !== null && judge(path, found, judging)) return false;
    if (found !== null) removeStale(path, found);
    return make(path, text) || read(path) === text;
  } catch {
    return true;
  }
}

function release(path: string, text: string): void {
  try {
    if (read(path) === text) rmSync(path, { force: true });
  } catch {
    // It can't be read, so it is not there for the next one either, or that one says what is wrong with it.
  }
}
