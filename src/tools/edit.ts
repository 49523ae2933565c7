import { z } from "zod";
import { defineTool } from "../core/define-tool.ts";
import type { Preview, ToolResult } from "../core/tool.ts";
import { applyEdit } from "./apply-edit.ts";
import type { Edit } from "./apply-edit.ts";
import { asResult, failure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { countOf, formatBytes } from "./format-bytes.ts";
import { locateTarget } from "./locate-target.ts";
import type { Located } from "./locate.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { diffBytes, previewChange } from "./preview-change.ts";
import { readStart } from "./read-start.ts";
import type { FileStart } from "./read-start.ts";
import { recognizeBinary } from "./recognize-binary.ts";
import { replaceFile } from "./replace-file.ts";
import { detectFormat } from "./text-format.ts";
import { cutDiff } from "./unified-diff.ts";

const change = {
  old_string: z.string().describe("Exact text to replace; must be unique unless replace_all"),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
};

export const editTool = defineTool({
  name: "edit",
  description:
    "Replace exact text in a file. Copy old_string as it is in the file, with its indentation, without read's line numbers.",
  // Applied twice it fails or changes more; whether it was made shows in the file.
  traits: { risk: "medium", category: "files", replay: "check" },
  timeoutMs: 10_000,
  input: z.object({
    file_path: z.string().describe("Path, relative to the workdir"),
    ...change,
    more_edits: z
      .array(z.object(change))
      .optional()
      .describe("Further edits of this file, in order; all are made or none"),
  }),
  resources: ({ file_path }) => [{ kind: "path", path: file_path, access: "write" }],
  async preview(input, { workdir }) {
    const located = await locateTarget(input.file_path, workdir);
    return located.ok ? previewEdit(located, allEdits(input)) : { text: located.error };
  },
  run: (input, { workdir, signal }) =>
    asResult(input.file_path, signal, async () => {
      const located = await locateTarget(input.file_path, workdir);
      if (!located.ok) return located;
      return oneAtATime(located.path, () => edit(located, allEdits(input), signal));
    }),
});

function allEdits({ more_edits = [], ...first }: Edit & { readonly more_edits?: readonly Edit[] | undefined }): Edit[] {
  return [first, ...more_edits];
}

const mostDiffLines = 60;

async function edit(located: Located, edits: readonly Edit[], signal: AbortSignal): Promise<ToolResult> {
  const planned = await planEdits(located, edits);
  if (!planned.ok) return planned;
  const { start, after, replacements } = planned;
  signal.throwIfAborted();
  const replaced = await replaceFile(located, after, { signal, mayReplace: () => changedMeanwhile(located, start) });
  if (!replaced.ok) return replaced;
  const diff = diffBytes({ shown: located.shown, before: start.bytes, after });
  const done = `Edited ${located.shown}: ${countOf(replacements, "replacement")}.`;
  return {
    ok: true,
    output: diff === undefined ? done : `${done}\n${cutDiff(diff, mostDiffLines)}`,
    data: { file_path: located.shown, replacements, bytes: after.length },
    files: [located.path],
  };
}

const largestFile = 32_000_000;

interface PlannedEdits {
  readonly ok: true;
  readonly start: FileStart;
  readonly after: Buffer;
  readonly replacements: number;
}

async function planEdits(located: Located, edits: readonly Edit[]): Promise<PlannedEdits | Failure> {
  const { shown } = located;
  const start = await readStart(located, largestFile);
  if (!start.ok)
    return start.errorType === "not_found" ? { ...start, hint: `${start.hint} write makes new files.` } : start;
  if (!start.isWhole && start.stats.size <= largestFile) return changed(located);
  if (!start.isWhole) {
    const error = `${shown} is too large to edit (${formatBytes(Number(start.stats.size))}; the limit is 32 MB).`;
    return failure("too_large", error, "Change it with a program, through bash.");
  }
  const binary = recognizeBinary(start.bytes);
  if (binary !== undefined)
    return failure("binary", `${shown} is ${binary}, not text.`, "Only text files can be edited.");
  if (start.bytes.length === 0) return failure("no_match", `${shown} is empty.`, "Use write to give it content.");
  const format = detectFormat(start.bytes);
  let after = start.bytes;
  let replacements = 0;
  for (const [index, each] of edits.entries()) {
    const edited = applyEdit({ bytes: after, format }, each, shown);
    if (!edited.ok)
      return index === 0 ? edited : { ...edited, error: `more_edits[${index - 1}]: ${edited.error} No edit was made.` };
    after = edited.bytes;
    replacements += edited.replacements;
  }
  if (after.equals(start.bytes)) {
    return failure("no_change", `The edit leaves ${shown} as it is.`, "Read the file: it may be done already.");
  }
  return { ok: true, start, after, replacements };
}

/** Asked at the last moment: between it and the rename only another process could slip in. */
async function changedMeanwhile(located: Located, start: FileStart): Promise<Failure | undefined> {
  const now = await readStart(located, largestFile);
  const isSame = now.ok && now.isWhole && now.stats.ino === start.stats.ino && now.bytes.equals(start.bytes);
  return isSame ? undefined : changed(located);
}

function changed({ shown }: Located): Failure {
  const error = `${shown} was changed by somebody else during the edit; nothing was written.`;
  return failure("changed_meanwhile", error, "Read it again, then send the edit again.");
}

async function previewEdit(located: Located, edits: readonly Edit[]): Promise<Preview> {
  const planned = await planEdits(located, edits);
  if (!planned.ok) return { text: planned.error };
  return previewChange({ shown: located.shown, before: planned.start.bytes, after: planned.after });
}
