import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import { describeProblem } from "../tool-file-status.ts";
import { fileNameProblem } from "./file-name.ts";
import type { ManagementParts } from "./management-tools.ts";
import { asJson } from "./status-tools.ts";

export function createWriteTool({ workshop, shown, writeFile }: ManagementParts): Tool {
  const toWrite = ({ file_name, content }: { file_name: string; content: string }): unknown => ({
    file_path: `${shown}/${file_name}`,
    content,
  });
  return defineTool({
    name: "create_or_update_custom_tool_file",
    description:
      "Write a tool file that exports TOOL_SPEC {name, description, input_schema} and run(input, context). Once approved, call_tool runs it.",
    traits: { risk: "medium", category: "tools", idempotent: true, replay: "check" },
    timeoutMs: 60_000,
    input: z.object({
      file_name: z.string().describe("Such as word_count.ts (or .js, .py)"),
      content: z.string().describe("The whole file"),
    }),
    resources: ({ file_name }) => [{ kind: "path", path: `${shown}/${file_name}`, access: "write" }],
    async preview(input, context) {
      const problem = fileNameProblem(input.file_name);
      return problem ? { text: problem.error } : writeFile.preview?.(toWrite(input), context);
    },
    async run(input, context): Promise<ToolResult> {
      const problem = fileNameProblem(input.file_name);
      if (problem) return problem;
      const written = await writeFile.run(toWrite(input), context);
      if (!written.ok) return written;
      const file = `${shown}/${input.file_name}`;
      const files = written.files === undefined ? {} : { files: written.files };
      await workshop.refresh();
      const status = workshop.status().files.find((each) => each.file === file);
      const { state = "broken", tool = null, version = null } = status ?? {};
      return { ...asJson({ file, state, tool, version, note: status ? describeProblem(status) : null }), ...files };
    },
  });
}
