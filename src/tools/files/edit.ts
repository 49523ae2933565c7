import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { Preview, ToolContext, ToolResult } from "../../core/tool.ts";
import { applyEdit, type Edit } from "./apply-edit.ts";
import { asResult, countOf, type Failure, failure, formatBytes } from "../failure.ts";
import { diffBytes, keepBefore, oneAtATime, previewChange, replaceFile } from "./replace-file.ts";
import { type Held, locate, withTarget } from "./locate-file.ts";
import { type FileStart, readStart, recognizeBinary } from "./open-file.ts";
import { detectFormat } from "./text-format.ts";
import { cutDiff } from "../../core/unified-diff.ts";

const change = {
  old_string: z.string(),
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
  parameterAliases: { path: "file_path" },
  input: z.object({
    file_path: z.string().describe("Path, relative to the workdir"),
    ...change,
    // Said once: every model reads this on every turn.
    old_string: change.old_string.describe("Exact text to replace; must be unique unless replace_all"),
    more_edits: z
      .array(z.object(change))
      .optional()
      .describe("Further edits of this file, in order; all are made or none"),
  }),
  resources: ({ file_path }) => [{ kind: "path", path: file_path, access: "write" }],
  async preview(input, { workdir }) {
    const preview = await withTarget(input.file_path, { workdir }, (held) => previewEdit(held, allEdits(input)));
    return "error" in preview ? { text: preview.error } : preview;
  },
  run: (input, context) =>
    asResult(input.file_path, context.signal, async () => {
      const located = await locate(input.file_path, context);
      if (!located.ok) return located;
      // Held only when its turn has come: those before it may have made the file.
      return oneAtATime(located.path, () =>
        withTarget(input.file_path, context, (held) => edit(held, allEdits(input), context)),
      );
    }),
});

function allEdits({ more_edits = [], ...first }: Edit & { readonly more_edits?: readonly Edit[] | undefined }): Edit[] {
  return [first, ...more_edits];
}

const mostDiffLines = 60;

async function edit(held: Held, edits: readonly Edit[], context: ToolContext): Promise<ToolResult> {
  const planned = await planEdits(held, edits);
  if (!planned.ok) return planned;
  const { start, after, replacements } = planned;
  const { signal } = context;
  signal.throwIfAborted();
  const replaced = await replaceFile(held, after, {
    signal,
    mayReplace: async () => (await changedMeanwhile(held, start)) ?? (await keepBefore(held, after, context)),
  });
  if (!replaced.ok) return replaced;
  const diff = diffBytes({ shown: held.shown, before: start.bytes, after });
  const done = `Edited ${held.shown}: ${countOf(replacements, "replacement")}.`;
  return {
    ok: true,
    output: diff === undefined ? done : `${done}\n${cutDiff(diff, mostDiffLines)}`,
    data: { file_path: held.shown, replacements, bytes: after.length },
    files: [held.path],
  };
}

const largestFile = 32_000_000;

interface PlannedEdits {
  readonly ok: true;
  readonly start: FileStart;
  readonly after: Buffer;
  readonly replacements: number;
}

async function planEdits(held: Held, edits: readonly Edit[]): Promise<PlannedEdits | Failure> {
  const { shown } = held;
  const start = await readStart(held, largestFile);
  if (!start.ok)
    return start.errorType === "not_found" ? { ...start, hint: `${start.hint} write makes new files.` } : start;
  if (!start.isWhole && start.stats.size <= largestFile) return changed(held);
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
async function changedMeanwhile(held: Held, start: FileStart): Promise<Failure | undefined> {
  const now = await readStart(held, largestFile);
  const isSame = now.ok && now.isWhole && now.stats.ino === start.stats.ino && now.bytes.equals(start.bytes);
  return isSame ? undefined : changed(held);
}

function changed({ shown }: Held): Failure {
  const error = `${shown} was changed by somebody else during the edit; nothing was written.`;
  return failure("changed_meanwhile", error, "Read it again, then send the edit again.");
}

async function previewEdit(held: Held, edits: readonly Edit[]): Promise<Preview> {
  const planned = await planEdits(held, edits);
  if (!planned.ok) return { text: planned.error };
  return previewChange({ shown: held.shown, before: planned.start.bytes, after: planned.after });
}
