import type { ToolResult } from "../../core/tool.ts";
import { isToolFileName } from "../scan/scan-folder.ts";

/** One plain name: whatever could lead to another folder, or would not be taken for a tool, is refused. */
export function fileNameProblem(name: string): Extract<ToolResult, { ok: false }> | undefined {
  if (isToolFileName(name) && name.length <= 100) return undefined;
  return {
    ok: false,
    error: `"${name.slice(0, 100)}" can't be the name of a tool file.`,
    hint: "Use letters, digits, _ and -, and one of .ts, .mts, .js, .mjs, .py at the end, as in word_count.ts; no folders, and no test.",
    errorType: "invalid_input",
  };
}
