import { codeOf, type ErrorType } from "../core/errors.ts";
import type { ToolResult } from "../core/tool.ts";

export type Failure = Extract<ToolResult, { ok: false }>;

export function failure(errorType: ErrorType, error: string, hint?: string): Failure {
  return { ok: false, error, errorType, ...(hint === undefined ? {} : { hint }) };
}

/**
 * Runs a tool's work on one path. What the file system or a cancel does to it becomes a result;
 * any other error is a mistake of ours and is thrown on.
 */
export async function asResult(
  shown: string,
  signal: AbortSignal,
  work: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    signal.throwIfAborted();
    return await work();
  } catch (thrown) {
    if (signal.aborted) return failure("cancelled", "The call was stopped before it was done.");
    return systemFailure(thrown, shown);
  }
}

/** The sentence for a system error. Throws what is not one. */
export function systemFailure(thrown: unknown, shown: string): Failure {
  const code = codeOf(thrown);
  if (code === undefined || !systemCode.test(code)) throw thrown;
  const [errorType, sentence, hint] = sentences[code] ?? [
    "io",
    `failed with ${code}`,
    "Try again, or look at it with bash.",
  ];
  return failure(errorType, `${shown} ${sentence}.`, hint);
}

const systemCode = /^E[A-Z0-9]+$/;

const refused: Sentence = ["access", "can't be used: the operating system refused access", "Check its owner and mode."];
const full: Sentence = [
  "disk_full",
  "was left as it was: the disk or the quota is full",
  "Free some space, then send the same call again.",
];
const busy: Sentence = ["io", "is in use by the system and can't be replaced", "Stop what uses it, then try again."];
const crowded: Sentence = [
  "resources",
  "could not be opened: too many files are open",
  "Try again with fewer calls at once.",
];
const strange: Sentence = ["not_a_file", "is not a regular file", "Only regular files can be read and written."];

type Sentence = readonly [errorType: ErrorType, sentence: string, hint: string];

const sentences: Readonly<Record<string, Sentence>> = {
  ENOENT: ["not_found", "does not exist", "Find the right name with list_files or glob."],
  EISDIR: ["is_directory", "is a directory", "Use list_files to see what is in it."],
  ENOTDIR: [
    "not_directory",
    "can't exist: a part of the path before the last is a file",
    "Check the path with list_files.",
  ],
  EACCES: refused,
  EPERM: refused,
  EROFS: ["access", "can't be written: it is on a read-only file system", "Write to another place."],
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: ["too_large", "would be larger than the file system allows", "Write it in smaller files."],
  ELOOP: ["io", "can't be resolved: its symbolic links lead in a circle", "Use the path of the real file."],
  ENAMETOOLONG: ["invalid_input", "is too long for a path", "Use a shorter path."],
  EMFILE: crowded,
  ENFILE: crowded,
  EBUSY: busy,
  ETXTBSY: busy,
  ENXIO: strange,
  ENODEV: strange,
  EIO: ["io", "could not be read or written: the device reported an error", "Check the disk."],
};

/** 0 B, 999 B, 1.2 kB, 34 MB, 5.4 GB: two digits are enough to decide what to do with a file. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes;
  let unit = -1;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

const units = ["kB", "MB", "GB", "TB", "PB"];

/** 12345 as 12,345. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** "1 line", "2,000 lines". */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
