// A folder as a lock between processes: making it either succeeds or tells that another has it. Plain JavaScript for any
// Node from 18 on, as its user scripts/prepare.js.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const waitLimitMs = 10 * 60_000;

/** What went wrong, as the one sentence a person needs. */
export class Stopped extends Error {}

/** Waits for its turn; takes the lock over from an owner that is no longer alive. */
export function acquireLock(lock, say) {
  const deadline = Date.now() + waitLimitMs;
  for (let told = false; ;) {
    try {
      mkdirSync(lock);
      writeFileSync(join(lock, "owner"), String(process.pid));
      return () => rmSync(lock, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (ownerIsGone(lock)) {
      breakLock(lock);
    } else if (Date.now() > deadline) {
      throw new Stopped(`Another command prepares this folder and does not end: stop it, or remove ${lock}.`);
    } else {
      if (!told) say("Waiting for another command that prepares this folder …");
      told = true;
      sleep(100);
    }
  }
}

function ownerIsGone(lock) {
  try {
    process.kill(Number(readFileSync(join(lock, "owner"), "utf8")) || Number.NaN, 0);
    return false;
  } catch (error) {
    if (error.code === "ESRCH") return true;
    if (error.code === "EPERM") return false;
    // No owner written yet: it has just been made, unless its maker died in between.
    const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    return Date.now() - made > 5_000;
  }
}

/**
 * A rename first: of two that find the same dead owner only one gets the folder. Between the look and the rename another may
 * have taken the lock over: then it is given back.
 */
function breakLock(lock) {
  const grave = `${lock}.${process.pid}`;
  try {
    renameSync(lock, grave);
    if (ownerIsGone(grave)) rmSync(grave, { recursive: true, force: true });
    else renameSync(grave, lock);
  } catch (error) {
    if (error.code !== "ENOENT") throw error; // The other one was faster.
  }
}

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
