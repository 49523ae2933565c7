import type { Preview } from "../../core/tool.ts";
import { countOf, formatBytes } from "../format-bytes.ts";
import { recognizeBinary } from "./recognize-binary.ts";
import { decodeText, detectFormat } from "./text-format.ts";
import { cutDiff, unifiedDiff } from "../../core/unified-diff.ts";

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
