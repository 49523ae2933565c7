import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import { openPathGuard } from "../../guard/path/open-path-guard.ts";
import { fileNameProblem } from "./file-name.ts";
import type { ManagementParts } from "./management-tools.ts";
import { asJson } from "./status-tools.ts";

export function createDeleteTool({ workshop, shown }: ManagementParts): Tool {
  return defineTool({
    name: "delete_custom_tool_file",
    description: "Remove a tool file. Its contents stay in .deckhand/versions.",
    traits: { risk: "medium", category: "tools", replay: "check" },
    timeoutMs: 10_000,
    input: z.object({ file_name: z.string().describe("Such as word_count.ts") }),
    resources: ({ file_name }) => [{ kind: "path", path: `${shown}/${file_name}`, access: "write" }],
    preview: ({ file_name }) => {
      const status = workshop.status().files.find(({ file }) => file === `${shown}/${file_name}`);
      const what = status?.tool ? `, which is the tool ${status.tool}` : "";
      return Promise.resolve({ text: `Remove ${shown}/${file_name}${what}.` });
    },
    async run({ file_name }, context): Promise<ToolResult> {
      const problem = fileNameProblem(file_name);
      if (problem) return problem;
      const file = `${shown}/${file_name}`;
      const before = workshop.status().files.find((each) => each.file === file);
      const failed = remove(file, context.workdir, context.recheck);
      if (failed) return failed;
      await workshop.refresh();
      return asJson({ file, removed: true, tool: before?.tool ?? null, version: before?.version ?? null });
    },
  });
}

type Failure = Extract<ToolResult, { ok: false }>;

function remove(
  file: string,
  workdir: string,
  recheck: ((given: string, leadsTo: string) => string | undefined) | undefined,
): Failure | undefined {
  try {
    const guard = openPathGuard({ root: workdir });
    try {
      const place = guard.find(file);
      if (!place.ok) return { ok: false, error: place.problem, errorType: "access" };
      const objection = recheck?.(file, place.path);
      if (objection !== undefined) return { ok: false, error: objection, hint: "Send it again.", errorType: "denied" };
      guard.remove(file);
      return undefined;
    } finally {
      guard.close();
    }
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === undefined) throw thrown;
    if (code !== "ENOENT")
      return { ok: false, error: `${file} could not be removed: ${messageOf(thrown)}.`, errorType: "io" };
    return { ok: false, error: `${file} does not exist.`, hint: "See list_custom_tools.", errorType: "not_found" };
  }
}
