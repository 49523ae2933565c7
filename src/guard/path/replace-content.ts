import { randomBytes } from "node:crypto";
import { type BigIntStats, constants, lstatSync, renameSync } from "node:fs";
import { access, type FileHandle, open, opendir, stat, unlink } from "node:fs/promises";
import { codeOf } from "../../core/errors.ts";
import { assertInside, makeFolders } from "./change-names.ts";
import type { Place } from "./find-place.ts";
import type { OpenFolder } from "./open-folder.ts";

export type Replaced<Refusal> =
  /** `before`: what was there; undefined when the file is new. */
  | { readonly kind: "replaced"; readonly before: BigIntStats | undefined }
  | { readonly kind: "not_regular"; readonly stats: BigIntStats }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export interface ReplaceOptions<Refusal> {
  readonly signal: AbortSignal;
  /** Asked right before the new content takes the file's place; a refusal = nothing is changed. */
  readonly mayReplace?: () => Promise<Refusal | undefined>;
}

/**
 * Puts new content in a file's place in one step: whoever looks, also after a crash, finds the old content or the new
 * one, whole. Missing folders are made. Mode (without set-id bits) and, where the system lets us, owner stay as they
 * were; other names of the file keep the old content. When it can't be done, throws the system's error, and nothing is
 * left behind.
 */
export async function replaceContent<Refusal>(
  place: Place,
  content: Buffer,
  options: ReplaceOptions<Refusal>,
): Promise<Replaced<Refusal>> {
  const before = place.missing.length > 0 ? undefined : statIfThere(place);
  if (before !== undefined && !before.isFile()) return { kind: "not_regular", stats: before };
  // A rename needs no right to the file itself: without asking, a write-protected file would be replaced.
  if (before !== undefined) await access(place.folder.at(place.name), constants.W_OK);
  const made = makeFolders(place.folder, place.missing);
  let isDone = false;
  try {
    await removeStaleTemporaries(made.folder);
    const refusal = await writeAndRename({ folder: made.folder, name: place.name, content, before }, options);
    isDone = refusal === undefined;
    return refusal === undefined ? { kind: "replaced", before } : { kind: "refused", refusal };
  } finally {
    if (!isDone) made.takeBack();
    for (const folder of made.opened) folder.close();
  }
}

interface Job {
  readonly folder: OpenFolder;
  readonly name: string;
  readonly content: Buffer;
  readonly before: BigIntStats | undefined;
}

async function writeAndRename<Refusal>(
  { folder, name, content, before }: Job,
  { signal, mayReplace }: ReplaceOptions<Refusal>,
): Promise<Refusal | undefined> {
  const temporary = folder.at(temporaryName(randomBytes(6)));
  let isThere = false;
  try {
    assertInside(folder);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    // Private until it has its final mode; for a new file the system's mask decides.
    const handle = await open(temporary, flags, before === undefined ? 0o666 : 0o600);
    isThere = true;
    try {
      await handle.writeFile(content, { signal });
      if (before !== undefined) await keepOwnerAndMode(handle, before);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const refusal = await mayReplace?.();
    if (refusal !== undefined) return refusal;
    signal.throwIfAborted();
    assertInside(folder);
    renameSync(temporary, folder.at(name));
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

function statIfThere({ folder, name }: Place): BigIntStats | undefined {
  return lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
}

/** The name says whose it is, so that what a killed process left behind can be told from what is in use. */
function temporaryName(random: Buffer): string {
  return `.deckhand-${process.pid}-${random.toString("hex")}.tmp`;
}

const namePattern = /^\.deckhand-(\d{1,10})-[0-9a-f]{12}\.tmp$/;
/** The pid may belong to somebody else by now; no write takes this long. */
const longestWriteMs = 3_600_000;
const mostRemembered = 1000;
const cleaned = new Set<string>();

/**
 * Removes the temporary files of processes that are gone, once per folder and process: a folder with many files is
 * looked through only before the first write to it.
 */
async function removeStaleTemporaries(folder: OpenFolder): Promise<void> {
  if (cleaned.has(folder.path)) return;
  if (cleaned.size >= mostRemembered) cleaned.clear();
  cleaned.add(folder.path);
  try {
    for await (const { name } of await opendir(folder.at("."), { bufferSize: 1024 })) {
      const pid = namePattern.exec(name)?.[1];
      if (pid !== undefined && (await isStale(folder.at(name), Number(pid)))) await unlink(folder.at(name));
    }
  } catch {
    // Tidying is a courtesy: it must not keep a write from being made.
  }
}

async function isStale(path: string, pid: number): Promise<boolean> {
  if (pid === process.pid) return false;
  if (!isAlive(pid)) return true;
  return Date.now() - (await stat(path)).mtimeMs > longestWriteMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== "ESRCH";
  }
}
