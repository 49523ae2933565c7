import { existsSync } from "node:fs";
import { join } from "node:path";
import { nearest } from "../../core/text.ts";
import type { JobWork, ToolFileRef } from "../../core/job.ts";
import type { Tool } from "../../core/tool.ts";
import { describeProblem } from "../../tool-files/tool-file-status.ts";
import type { JobRunnerParts } from "./held-jobs.ts";

export type ToolOfJob =
  /** `pinned`: somebody else has its name. */
  | { readonly ok: true; readonly name: string; readonly tool: Tool; readonly pinned?: Tool }
  /** Why it can't be called, in one sentence. */
  | { readonly ok: false; readonly problem: string };

type Parts = Pick<JobRunnerParts, "catalog" | "runtime" | "workshop">;

/** By its file where there is one: whatever has taken its name meanwhile is another tool. */
export async function findToolOfJob(
  parts: Parts,
  { toolName, toolRef }: Pick<Extract<JobWork, { readonly kind: "tool" }>, "toolName" | "toolRef">,
): Promise<ToolOfJob> {
  await parts.runtime.prepareTools();
  if (toolRef) return findByFile(parts, toolRef);
  const tool = parts.catalog.resolve(toolName);
  if (tool) return { ok: true, name: tool.name, tool };
  const near = parts.catalog.suggest(toolName);
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  return { ok: false, problem: `There is no tool named "${toolName}".${hint}` };
}

function findByFile({ catalog, runtime, workshop }: Parts, { file, toolName }: ToolFileRef): ToolOfJob {
  const { folder, files } = workshop.status();
  const fileName = file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : null;
  const status = files.find((each) => each.file === file);
  const version = fileName === null ? undefined : workshop.versionOfFile(fileName);
  // Of a file that is held or broken, the content that worked last is run.
  if (version && status?.state !== "untrusted" && status?.state !== "refused") {
    const { tool } = version;
    const isInCatalog = catalog.resolve(tool.name) === tool;
    return { ok: true, name: tool.name, tool, ...(isInCatalog ? {} : { pinned: tool }) };
  }
  const told = status && describeProblem(status);
  if (told) return { ok: false, problem: told };
  if (!existsSync(join(runtime.workdir, file))) {
    return {
      ok: false,
      problem: `${file}, the file of the tool ${toolName}, is gone: put it back, or remove the job.`,
    };
  }
  const known = files.flatMap((each) => (each.tool === null ? [] : each.file));
  const [meant] = nearest(file, known, 1);
  const hint = meant === undefined ? `those lie in the folder "${folder}".` : `did you mean ${meant}?`;
  return { ok: false, problem: `${file} is no tool file: ${hint}` };
}
