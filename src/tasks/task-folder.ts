import { mkdirSync, realpathSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, RuntimeError } from "../core/errors.ts";
import type { Task } from "../core/task.ts";

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
  const parts = await Promise.all(["stdout", "stderr"].map((name) => readFilePart(join(runFolder, name), 0, 0)));
  return parts.some(({ totalBytes }) => totalBytes > 0);
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
