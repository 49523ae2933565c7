import { closeSync, constants, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../core/errors.ts";

/** A file of the journal. The current one has the highest number and no number in its name. */
export interface Segment {
  readonly number: number;
  readonly name: string;
  readonly path: string;
}

export const currentName = "chat_log.jsonl";
const numberedForm = /^chat_log\.([1-9][0-9]{0,8})\.jsonl$/;

/** Oldest first; empty when there is no journal. Throws only when the folder is there and can't be read. */
export function listSegments(folder: string): Segment[] {
  const names = readNames(folder);
  const numbered = names
    .flatMap((name) => {
      const match = numberedForm.exec(name);
      return match ? [{ number: Number(match[1]), name, path: join(folder, name) }] : [];
    })
    .sort((a, b) => a.number - b.number);
  if (!names.includes(currentName)) return numbered;
  const current = join(folder, currentName);
  const last = numbered.at(-1);
  // While it is rotated, the current file has both names for a moment.
  if (last && identityOf(last.path) === identityOf(current)) numbered.pop();
  const number = Math.max((numbered.at(-1)?.number ?? 0) + 1, ownNumber(current));
  return [...numbered, { number, name: currentName, path: current }];
}

/** The name that the current segment gets when it is closed. */
export function numberedPath(folder: string, number: number): string {
  return join(folder, `chat_log.${number}.jsonl`);
}

/** The same file, whatever its name; undefined when there is none. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}:${stats.ino}`;
}

const rotatedForm = /^\{"v":1,[^\n]*?"type":"rotated","segment":([1-9][0-9]{0,8}),"hash":"/;

/** What its first line says: those before it may all have been pruned. */
function ownNumber(path: string): number {
  let fd: number | undefined;
  try {
    // Whatever lies there may be a pipe, and nobody at its other end.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const begin = Buffer.alloc(512);
    const length = readSync(fd, begin, 0, begin.length, 0);
    return Number(rotatedForm.exec(begin.toString("latin1", 0, length))?.[1] ?? 1);
  } catch {
    return 1; // Whoever reads on is told why it can't be read.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw thrown;
  }
}
