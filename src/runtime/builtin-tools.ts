import type { Tool } from "../core/tool.ts";
import { createBashTool } from "../tools/bash.ts";
import { editTool } from "../tools/edit.ts";
import { globTool } from "../tools/glob.ts";
import { createGrepTool } from "../tools/grep.ts";
import { listFilesTool } from "../tools/list-files.ts";
import { createProcessesTool } from "../tools/processes.ts";
import { readTool } from "../tools/read.ts";
import { createRunPythonTool } from "../tools/run-python.ts";
import { writeTool } from "../tools/write.ts";
import type { ShellParts } from "../tools/run-program.ts";

export function createBuiltinTools(parts: ShellParts): Tool[] {
  return [
    readTool,
    writeTool,
    editTool,
    listFilesTool,
    globTool,
    createGrepTool(parts.processes),
    createBashTool(parts),
    createRunPythonTool(parts),
    createProcessesTool(parts),
  ];
}
