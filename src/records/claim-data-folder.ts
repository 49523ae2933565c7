import { createHmac } from "node:crypto";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../core/errors.ts";
import type { Folders } from "../config/folders.ts";
import { readOrCreateSecret } from "../guard/secrets/private-key.ts";

/**
 * Makes `.deckhand`, private and invisible to git, or makes sure that the one that is there is ours: a cloned repository
 * could bring a store with calls that never ran, or a link to somewhere else.
 */
export function claimDataFolder(folders: Folders): void {
  const { data } = folders;
  // Not `recursive: true`: where a folder can't have folders (/proc), Node tries that for ever.
  const isNew = unlessThere(() => mkdirSync(data, { mode: 0o700 }));
  if (!isNew) refuseStrange(data);
  const expected = markOf(data, readOrCreateSecret(folders.ownerId));
  const mark = join(data, "owner");
  if (isNew || isUnused(data)) createWhole(mark, expected);
  if (readMark(mark) !== expected) throw notOurs(data);
  unlessThere(() => writeFileSync(join(data, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 }));
}

/** Why the one that is there can't be used, as a sentence; null when it can, or when there is none. Touches nothing. */
export function findDataFolderProblem({ data, ownerId }: Folders): string | null {
  try {
    if (!lstatSync(data, { throwIfNoEntry: false })) return null;
    refuseStrange(data);
    const mark = readMark(join(data, "owner"));
    const isOurs =
      mark === null
        ? isUnused(data)
        : existsSync(ownerId) && mark === markOf(data, readFileSync(ownerId, "utf8").trim());
    return isOurs ? null : notOurs(data).message;
  } catch (thrown) {
    return thrown instanceof RuntimeError ? thrown.message : unusable(data, messageOf(thrown)).message;
  }
}

/** For a person who looked at it: from now on it is theirs. */
export function adoptDataFolder(folders: Folders): void {
  const { data } = folders;
  refuseStrange(data);
  const mark = join(data, "owner");
  // Whatever came with it, such as a link, goes first.
  rmSync(mark, { recursive: true, force: true });
  createWhole(mark, markOf(data, readOrCreateSecret(folders.ownerId)));
}

/**
 * What only this person can write, for this very folder. It can be read inside the sandbox, so it must not serve for a copy of the
 * folder; a renamed one stays ours. Not by the device: its number may be another one after a restart. Where the file system does
 * not know when a folder was made, that is 0.
 */
function markOf(data: string, secret: string): string {
  const { ino, birthtimeNs } = lstatSync(data, { bigint: true });
  return createHmac("sha256", secret).update(`${ino} ${birthtimeNs}`).digest("hex");
}

function refuseStrange(data: string): void {
  const found = lstatSync(data);
  if (found.isSymbolicLink()) throw unusable(data, "it is a link");
  if (!found.isDirectory()) throw unusable(data, "it is not a folder");
  const me = process.getuid?.();
  if (me !== undefined && found.uid !== me) throw unusable(data, "it belongs to another user");
  if ((found.mode & 0o022) !== 0) throw unusable(data, "others may write to it (chmod 700 it)");
}

/** Nothing in it that could be taken for a record. */
function isUnused(data: string): boolean {
  return readdirSync(data).every((name) => name === ".gitignore" || name.startsWith("owner."));
}

function readMark(mark: string): string | null {
  try {
    if (!lstatSync(mark).isFile() || statSync(mark).size > 100) return null;
    return readFileSync(mark, "utf8").trim();
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return null;
    throw thrown;
  }
}

/** Unless it is there. Nobody ever sees half of it: two processes may start at once. */
function createWhole(path: string, text: string): void {
  if (existsSync(path)) return;
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${text}\n`, { mode: 0o600 });
  try {
    unlessThere(() => linkSync(temporary, path));
  } finally {
    unlinkSync(temporary);
  }
}

function unusable(data: string, why: string): RuntimeError {
  return new RuntimeError("STORE_UNAVAILABLE", `The folder ${data} can't be used: ${why}.`);
}

function notOurs(data: string): RuntimeError {
  return new RuntimeError(
    "STORE_UNAVAILABLE",
    `The folder ${data} was not made by you on this machine; it may have come with the files. Look at it, then remove it, or take it over with \`deckhand trust --adopt\`.`,
  );
}

/** True when it was made. */
function unlessThere(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
    return false;
  }
}
