import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { ToolResult } from "../../core/tool.ts";
import type { OpenedRegular } from "../../guard/path/open-regular.ts";
import type { CollectedLines } from "../search/collect-lines.ts";
import { asResult, failure } from "../failure.ts";
import { countOf, formatBytes, formatCount } from "../format-bytes.ts";
import { withPlace } from "./locate-file.ts";
import type { Located } from "./locate-file.ts";
import { openFile } from "./open-file.ts";
import { readLines } from "./read-file-lines.ts";
import { recognizeBinary, sampleBytes } from "./recognize-binary.ts";
import { detectFormat } from "./text-format.ts";
import type { TextFormat } from "./text-format.ts";

const mostLines = 2000;
const maxBytes = 100_000;
const maxLineLength = 2000;

export const readTool = defineTool({
  name: "read",
  description:
    "Read a text file. Each line comes as its number, a tab, and the text. Gives up to 2,000 lines or 100 kB; a note at the end says how to continue.",
  traits: { readOnly: true, risk: "low", category: "files" },
  timeoutMs: 10_000,
  parameterAliases: { path: "file_path" },
  input: z.object({
    file_path: z.string().describe("Path, relative to the workdir"),
    offset: z.number().int().min(0).optional().describe("First line, from 1"),
    limit: z.number().int().min(1).optional().describe("How many lines"),
  }),
  resources: ({ file_path }) => [{ kind: "path", path: file_path, access: "read" }],
  run: ({ file_path, offset = 1, limit = mostLines }, context) =>
    asResult(file_path, context.signal, () =>
      withPlace<ToolResult>(file_path, context, async (held) => {
        const opened = await openFile(held);
        if (!opened.ok) return opened;
        try {
          return await readOpened(held, opened, { first: Math.max(offset, 1), count: limit, signal: context.signal });
        } finally {
          await opened.handle.close();
        }
      }),
    ),
});

interface Wanted {
  readonly first: number;
  readonly count: number;
  readonly signal: AbortSignal;
}

async function readOpened({ shown }: Located, { handle, stats }: OpenedRegular, wanted: Wanted): Promise<ToolResult> {
  const size = Number(stats.size);
  const head = Buffer.alloc(Math.min(size, sampleBytes));
  const { bytesRead } = await handle.read(head, 0, head.length, 0);
  const binary = recognizeBinary(head.subarray(0, bytesRead));
  if (binary !== undefined) {
    return failure(
      "binary",
      `${shown} is ${binary} (${formatBytes(size)}), not text.`,
      "Use a program that knows this kind of file, through bash.",
    );
  }
  const format = detectFormat(head);
  const { first, count, signal } = wanted;
  const read = await readLines({ handle, format, size }, { first, count, maxLineLength, maxBytes }, signal);
  const { lines, totalLines } = read;
  if (lines.length === 0 && first > 1) {
    const error = `${shown} has ${countOf(totalLines ?? 0, "line")}; offset ${first} is past its end.`;
    return failure("invalid_input", error, "Use a smaller offset.");
  }
  const cut = new Set(read.cut);
  const numbered = lines.map((text, index) => showLine(first + index, text, cut.has(first + index)));
  const notes = notesOn(read, { first, size, format });
  return {
    ok: true,
    output: [...numbered, ...notes].join("\n"),
    data: {
      file_path: shown,
      start_line: first,
      lines: lines.length,
      total_lines: totalLines ?? null,
      bytes: size,
      truncated: read.stoppedBy !== "end" || read.cut.length > 0,
      encoding: format.encoding,
      line_ending: read.hasCrlf ? "crlf" : "lf",
    },
  };
}

function showLine(number: number, text: string, isCut: boolean): string {
  // A NUL would end the text for many a reader.
  return `${number}\t${text.replaceAll("\0", "␀")}${isCut ? "… [cut]" : ""}`;
}

function notesOn(read: CollectedLines, file: { first: number; size: number; format: TextFormat }): string[] {
  const { lines, totalLines, cut } = read;
  if (lines.length === 0) return ["[The file is empty.]"];
  const last = file.first + lines.length - 1;
  const notes: string[] = [];
  if (read.stoppedBy === "long_line") {
    notes.push(`[Line ${last} is longer than 1 MB; what follows was not looked for. offset=${last + 1} does that.]`);
  } else if (read.stoppedBy !== "end") {
    const of = totalLines === undefined ? `a file of ${formatBytes(file.size)}` : formatCount(totalLines);
    notes.push(`[Lines ${file.first}-${last} of ${of}. Continue with offset=${last + 1}.]`);
  }
  if (cut.length > 0) {
    const which = cut.length === 1 ? `Line ${cut[0]} was` : `${countOf(cut.length, "line")} from ${cut[0]} on were`;
    notes.push(`[${which} cut at ${formatCount(maxLineLength)} characters. Find text in long lines with grep.]`);
  }
  if (read.hasInvalid) notes.push("[Bytes that are not UTF-8 are shown as \uFFFD; edit keeps them.]");
  if (file.format.encoding !== "utf-8") notes.push(`[Encoding: ${file.format.encoding.toUpperCase()}; edit keeps it.]`);
  if (read.hasCrlf) notes.push("[Line endings: CRLF; edit keeps them.]");
  return notes;
}
