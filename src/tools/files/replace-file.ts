import { type BigIntStats, lstatSync } from "node:fs";
import { codeOf } from "../../core/errors.ts";
import type { Preview, ToolContext } from "../../core/tool.ts";
import { cutDiff, unifiedDiff } from "../../core/unified-diff.ts";
import type { Place } from "../../guard/path/find-place.ts";
import { replaceContent, type ReplaceOptions } from "../../guard/path/replace-content.ts";
import { countOf, type Failure, formatBytes } from "../failure.ts";
import type { Held } from "./locate-file.ts";
import { kindProblem, readStart, recognizeBinary } from "./open-file.ts";
import { decodeText, detectFormat } from "./text-format.ts";

export interface Replaced {
  readonly ok: true;
  /** What was there before; undefined when the file is new. */
  readonly before: BigIntStats | undefined;
}

/** See `replaceContent`. Throws the system's error. */
export async function replaceFile(
  held: Held,
  content: Buffer,
  options: ReplaceOptions<Failure>,
): Promise<Replaced | Failure> {
  const replace = async (place: Place): Promise<Replaced | Failure> => {
    const replaced = await replaceContent(place, content, options);
    if (replaced.kind === "refused") return replaced.refusal;
    if (replaced.kind === "not_regular") return kindProblem(replaced.stats, held.shown);
    return { ok: true, before: replaced.before };
  };
  try {
    return await replace(held.place);
  } catch (thrown) {
    // Somebody removed the folder or our temporary file under our hands: once more from the start.
    const again = codeOf(thrown) === "ENOENT" ? held.guard.find(held.path) : undefined;
    if (!again?.ok) throw thrown;
    return replace(again);
  }
}

/** Larger ones are changed without a way back. */
const largestKept = 32_000_000;

/**
 * Hands what a file is now to whoever keeps it, to be asked right before it takes its new content. Says why when it can't be
 * read; throws when it can't be kept.
 */
export async function keepBefore(held: Held, after: Buffer, context: ToolContext): Promise<Failure | undefined> {
  if (!context.keepBefore) return undefined;
  const { path, place } = held;
  const isNew = place.missing.length > 0;
  // Looked at again: somebody may have made it since the place was taken.
  const stats = isNew ? undefined : lstatSync(place.folder.at(place.name), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) {
    const newFolders = place.missing.length;
    await context.keepBefore({ path, before: null, mode: null, after, ...(newFolders > 0 ? { newFolders } : {}) });
    return undefined;
  }
  const now = await readStart({ ...held, place: { ...place, stats } }, largestKept);
  if (!now.ok) return now;
  const mode = Number(now.stats.mode & 0o7777n);
  await context.keepBefore({ path, before: now.isWhole ? now.bytes : null, mode, after });
  return undefined;
}

/**
 * Lets the work on one key wait for the work that was handed in before it. For reading a file and replacing it as one
 * step within this process; other processes are noticed by comparing the file before it is replaced.
 */
export async function oneAtATime<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const before = waiting.get(key);
  const { promise: turn, resolve: finish } = Promise.withResolvers<void>();
  waiting.set(key, turn);
  try {
    await before;
    return await work();
  } finally {
    if (waiting.get(key) === turn) waiting.delete(key);
    finish();
  }
}

const waiting = new Map<string, Promise<void>>();

export interface FileChange {
  readonly shown: string;
  /** Undefined for a file that does not exist yet. */
  readonly before: Buffer | undefined;
  readonly after: Buffer;
}

const mostLines = 2000;

/** What a person is shown before a file is changed: a sentence, and the difference where it can be shown. */
export function previewChange({ shown, before, after }: FileChange): Preview {
  const size = `${formatBytes(after.length)}, ${countOf(countLines(after), "line")}`;
  const binary = before === undefined ? undefined : recognizeBinary(before);
  if (binary !== undefined) return { text: `Replace ${shown}, now ${binary}, with ${size} of text.` };
  const diff = diffBytes({ shown, before, after });
  const text =
    before === undefined
      ? `Create ${shown} (${size}).`
      : `Change ${shown} (${formatBytes(before.length)} → ${size})${diff === "" ? ": same content" : ""}.`;
  if (diff === undefined) return { text: `${text} Too long to show the difference.` };
  return diff === "" ? { text } : { text, diff: cutDiff(diff, mostLines) };
}

/** The unified diff of a change to a text file; undefined when it is too long. */
export function diffBytes({ shown, before, after }: FileChange): string | undefined {
  const oldText = before === undefined ? "" : decodeText(before, detectFormat(before));
  const newText = decodeText(after, detectFormat(after));
  return unifiedDiff(oldText, newText, { from: before === undefined ? undefined : shown, to: shown });
}

/** Lines of UTF-8 text; a last line without newline counts. */
export function countLines(utf8: Buffer): number {
  let lines = 0;
  for (let at = utf8.indexOf(10); at !== -1; at = utf8.indexOf(10, at + 1)) lines++;
  return utf8.length > 0 && utf8.at(-1) !== 10 ? lines + 1 : lines;
}
