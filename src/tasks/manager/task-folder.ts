import { mkdirSync, realpathSync } from "node:fs";
import { open, rm, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, RuntimeError } from "../../core/errors.ts";
import type { Task } from "../../core/task.ts";

/** The real path: it is compared with what processes have open. */
export function openTasksFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return realpathSync(path);
  } catch (cause) {
    const sentence = `Can't use the folder for tasks: ${messageOf(cause)}. Move away whatever is in its place.`;
    throw new RuntimeError("STORE_UNAVAILABLE", sentence, { cause });
  }
}

/** Each attempt starts in an empty folder, so that nothing of an earlier one is taken for its own. */
export function runFolderOf({ folder, attempt }: Pick<Task, "folder" | "attempt">): string {
  return join(folder, `run-${attempt}`);
}

/** Never rejects: what can't be removed now is old enough the next time. */
export async function removeTaskFolder(tasksFolder: string, folder: string): Promise<void> {
  // The path comes from a record; whatever that says, nothing outside goes.
  if (dirname(folder) !== tasksFolder) return;
  await rm(folder, { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
}

/** Whether something that was printed in this run is there to be read. */
export async function hasPrinted(runFolder: string): Promise<boolean> {
  return (await countPrinted(runFolder)) > 0;
}

/** How much was printed in this run, on both streams. */
export async function countPrinted(runFolder: string): Promise<number> {
  const sizes = await sizesOf(runFolder);
  return sizes.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Cuts the end off what was printed most of, so that this much is left of all; gives how much went. */
export async function cutPrinted(runFolder: string, maxBytes: number): Promise<number> {
  const excess = (await countPrinted(runFolder)) - maxBytes;
  let left = excess;
  for (const { path, bytes } of (await sizesOf(runFolder)).toSorted((a, b) => b.bytes - a.bytes)) {
    if (left <= 0) break;
    const cut = Math.min(left, bytes);
    await truncate(path, bytes - cut);
    left -= cut;
  }
  return Math.max(0, excess);
}

async function sizesOf(runFolder: string): Promise<{ readonly path: string; readonly bytes: number }[]> {
  const paths = ["stdout", "stderr"].map((name) => join(runFolder, name));
  return Promise.all(paths.map(async (path) => ({ path, bytes: (await readFilePart(path, 0, 0)).totalBytes })));
}

export interface FilePart {
  readonly bytes: Buffer;
  readonly from: number;
  readonly totalBytes: number;
}

/** A part of a file; a negative `from` counts from its end. Empty when there is no such file. */
export async function readFilePart(path: string, from: number, maxBytes: number): Promise<FilePart> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    const start = Math.min(size, from < 0 ? Math.max(0, size + from) : from);
    const bytes = Buffer.alloc(Math.max(0, Math.min(maxBytes, size - start)));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return { bytes: bytes.subarray(0, bytesRead), from: start, totalBytes: size };
  } catch {
    return { bytes: Buffer.alloc(0), from: 0, totalBytes: 0 };
  }
}
