import { randomBytes } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { access, constants, lstat, mkdir, open, rename, rmdir, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../core/errors.ts";
import type { Failure } from "./failure.ts";
import type { Located } from "./locate.ts";
import { kindProblem } from "./open-file.ts";
import { removeStaleTemporaries, temporaryName } from "./temporary-files.ts";

export interface Replaced {
  readonly ok: true;
  /** What was there before; undefined when the file is new. */
  readonly before: BigIntStats | undefined;
}

export interface ReplaceOptions {
  readonly signal: AbortSignal;
  /** Asked right before the new content takes the file's place; no = nothing is changed. */
  readonly mayReplace?: () => Promise<Failure | undefined>;
}

/**
 * Puts new content in a file's place in one step: whoever looks, also after a crash, finds the old content or the new
 * one, whole. Missing folders are made. Mode (without set-id bits) and, where the system lets us, owner stay as they
 * were. When it can't be done, throws the system's error (or says why), and nothing is left behind.
 */
export async function replaceFile(
  located: Located,
  content: Buffer,
  options: ReplaceOptions,
): Promise<Replaced | Failure> {
  const { path, shown } = located;
  const before = await statIfThere(path);
  const problem = before === undefined ? undefined : kindProblem(before, shown);
  if (problem !== undefined) return problem;
  // A rename needs no right to the file itself: without asking, a write-protected file would be replaced.
  if (before !== undefined) await access(path, constants.W_OK);
  try {
    return await place({ located, content, before }, options);
  } catch (thrown) {
    // Somebody removed the folder or our temporary file under our hands: once more from the start.
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    return place({ located, content, before }, options);
  }
}

interface Job {
  readonly located: Located;
  readonly content: Buffer;
  readonly before: BigIntStats | undefined;
}

async function place(job: Job, options: ReplaceOptions): Promise<Replaced | Failure> {
  const folder = dirname(job.located.path);
  const firstMade = job.before === undefined ? await makeFolders(folder) : undefined;
  let isDone = false;
  try {
    await removeStaleTemporaries(folder);
    const refusal = await writeAndRename(job, options);
    isDone = refusal === undefined;
    return refusal ?? { ok: true, before: job.before };
  } finally {
    if (!isDone && firstMade !== undefined) await removeFolders(folder, firstMade);
  }
}

async function writeAndRename(job: Job, { signal, mayReplace }: ReplaceOptions): Promise<Failure | undefined> {
  const temporary = join(dirname(job.located.path), temporaryName(randomBytes(6)));
  let isThere = false;
  try {
    // Private until it has its final mode; for a new file the system's mask decides.
    const handle = await open(temporary, "wx", job.before === undefined ? 0o666 : 0o600);
    isThere = true;
    try {
      await handle.writeFile(job.content, { signal });
      if (job.before !== undefined) await keepOwnerAndMode(handle, job.before);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const refusal = await mayReplace?.();
    if (refusal !== undefined) return refusal;
    signal.throwIfAborted();
    await rename(temporary, job.located.path);
    isThere = false;
    return undefined;
  } finally {
    if (isThere) await unlink(temporary).catch(() => undefined);
  }
}

/** Without set-user-id and set-group-id: what their owner trusted was the old content. The system does the same. */
const keptBits = 0o1777n;

async function keepOwnerAndMode(handle: FileHandle, before: BigIntStats): Promise<void> {
  const now = await handle.stat({ bigint: true });
  if (now.uid !== before.uid || now.gid !== before.gid) await changeOwner(handle, before);
  await handle.chmod(Number(before.mode & keptBits));
}

/** Owner and group, or else the group, or else neither: only root may give files away. */
async function changeOwner(handle: FileHandle, { uid, gid }: BigIntStats): Promise<void> {
  for (const owner of [Number(uid), unchanged]) {
    try {
      await handle.chown(owner, Number(gid));
      return;
    } catch (thrown) {
      if (codeOf(thrown) !== "EPERM" && codeOf(thrown) !== "EINVAL") throw thrown;
    }
  }
}

const unchanged = -1;

async function statIfThere(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Makes a folder and those above it; says which one was the first to be made. Node's own way calls EROFS an ENOENT. */
async function makeFolders(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder);
    return folder;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return undefined;
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
  const first = await makeFolders(dirname(folder));
  await mkdir(folder).catch((thrown: unknown) => {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  });
  return first ?? folder;
}

/** Takes back the folders that were made for a file which then could not be written. */
async function removeFolders(from: string, firstMade: string): Promise<void> {
  for (let folder = from; folder.startsWith(firstMade); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      // Somebody else put something there meanwhile: then it stays.
      return;
    }
  }
}
