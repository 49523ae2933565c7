import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { Preview, ToolContext, ToolResult } from "../../core/tool.ts";
import { asResult, countOf, type Failure, failure, formatBytes } from "../failure.ts";
import { countLines, diffBytes, keepBefore, oneAtATime, previewChange, replaceFile } from "./replace-file.ts";
import { type Held, locate, withTarget } from "./locate-file.ts";
import { readStart, recognizeBinary } from "./open-file.ts";
import { detectFormat } from "./text-format.ts";
import { cutDiff } from "../../core/unified-diff.ts";

export const writeTool = defineTool({
  name: "write",
  description: "Create a file or replace its whole content, making missing folders. To change a part use edit.",
  // Not safe to repeat after a crash: somebody may have changed the file since.
  traits: { risk: "medium", category: "files", idempotent: true, replay: "check" },
  timeoutMs: 10_000,
  parameterAliases: { path: "file_path" },
  input: z.object({
    file_path: z.string().describe("Path, relative to the workdir"),
    content: z.string().describe("The whole new text"),
  }),
  resources: ({ file_path }) => [{ kind: "path", path: file_path, access: "write" }],
  preview: ({ file_path, content }, { workdir }) => previewWrite(file_path, content, workdir),
  run: ({ file_path, content }, context) =>
    asResult(file_path, context.signal, async () => {
      const problem = pathProblem(file_path) ?? contentProblem(content);
      if (problem !== undefined) return problem;
      const located = await locate(file_path, context);
      if (!located.ok) return located;
      // Held only when its turn has come: those before it may have made the file, or its folder.
      return oneAtATime(located.path, () =>
        withTarget(file_path, context, (held) => write(held, Buffer.from(content), context)),
      );
    }),
});

/** Enough to tell encoding and line endings. */
const sampleBytes = 65_536;

async function write(held: Held, bytes: Buffer, context: ToolContext): Promise<ToolResult> {
  const old = await readStart(held, sampleBytes);
  const { signal } = context;
  const replaced = await replaceFile(held, bytes, { signal, mayReplace: () => keepBefore(held, bytes, context) });
  if (!replaced.ok) return replaced;
  const { before } = replaced;
  const created = before === undefined;
  const lines = countLines(bytes);
  const notes = old.ok ? formatChanges(old.bytes, bytes) : [];
  if (before !== undefined && before.nlink > 1n) {
    notes.push("The file had other names (hard links): they keep the old content.");
  }
  const done = `${created ? "Created" : "Overwrote"} ${held.shown} (${countOf(lines, "line")}, ${formatBytes(bytes.length)}).`;
  const diff = old.ok && old.isWhole ? diffOfTexts(held.shown, old.bytes, bytes) : [];
  return {
    ok: true,
    output: [done, ...notes, ...diff].join("\n"),
    data: { file_path: held.shown, created, bytes: bytes.length, lines },
    files: [held.path],
  };
}

const mostDiffLines = 40;

/** What a replaced text was, so that nobody has to guess what is gone. */
function diffOfTexts(shown: string, before: Buffer, after: Buffer): string[] {
  if (recognizeBinary(before) !== undefined) return [];
  const diff = diffBytes({ shown, before, after });
  return diff ? [cutDiff(diff, mostDiffLines)] : [];
}

function pathProblem(given: string): Failure | undefined {
  if (!given.endsWith("/")) return undefined;
  const error = `${given} names a directory, not a file.`;
  return failure("is_directory", error, "Leave out the slash at the end, or add a file name.");
}

function contentProblem(content: string): Failure | undefined {
  if (content.isWellFormed()) return undefined;
  const error = "The content holds half of a surrogate pair, which UTF-8 can't store.";
  return failure("encoding", error, "Send it without that character.");
}

/** The content is written exactly as given; what that does to the old form of the file is said. */
function formatChanges(old: Buffer, bytes: Buffer): string[] {
  if (old.length === 0) return [];
  const notes: string[] = [];
  const was = detectFormat(old);
  const is = detectFormat(bytes);
  if (was.encoding !== is.encoding) notes.push(`The encoding changed from ${was.encoding.toUpperCase()} to UTF-8.`);
  else if (was.markBytes > is.markBytes) notes.push("The byte order mark is gone.");
  const had = lineEnding(old);
  const has = lineEnding(bytes);
  if (had !== undefined && has !== undefined && had !== has) notes.push(`Line endings changed from ${had} to ${has}.`);
  return notes;
}

function lineEnding(bytes: Buffer): "LF" | "CRLF" | undefined {
  const newline = bytes.indexOf(10);
  if (newline === -1 || detectFormat(bytes).encoding !== "utf-8") return undefined;
  return bytes[newline - 1] === 13 ? "CRLF" : "LF";
}

const longestOld = 2_000_000;

async function previewWrite(given: string, content: string, workdir: string): Promise<Preview> {
  const preview = pathProblem(given) ?? (await withTarget(given, { workdir }, (held) => previewTarget(held, content)));
  return "error" in preview ? { text: preview.error } : preview;
}

async function previewTarget(held: Held, content: string): Promise<Preview | Failure> {
  const old = await readStart(held, longestOld);
  if (!old.ok && old.errorType !== "not_found") return old;
  if (old.ok && !old.isWhole) return { text: `Replace all of ${held.shown} (${formatBytes(Number(old.stats.size))}).` };
  return previewChange({ shown: held.shown, before: old.ok ? old.bytes : undefined, after: Buffer.from(content) });
}
