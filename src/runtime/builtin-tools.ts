import type { Tool } from "../core/tool.ts";
import { askUserTool } from "../tools/ask-user.ts";
import { createBashTool } from "../tools/bash.ts";
import { editTool } from "../tools/edit.ts";
import { globTool } from "../tools/glob.ts";
import { createGrepTool } from "../tools/grep.ts";
import { listFilesTool } from "../tools/list-files.ts";
import { createProcessesTool } from "../tools/processes.ts";
import { readTool } from "../tools/read.ts";
import { createRunPythonTool } from "../tools/run-python.ts";
import { createWebFetchTool } from "../tools/web-fetch.ts";
import { createWebSearchTool, type WebSearchParts } from "../tools/web-search.ts";
import { writeTool } from "../tools/write.ts";
import type { ShellParts } from "../tools/run-program.ts";

export function createBuiltinTools(parts: ShellParts, web: WebSearchParts): Tool[] {
  const webSearchTool = createWebSearchTool(web);
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
    createWebFetchTool(web),
    ...(webSearchTool === undefined ? [] : [webSearchTool]),
    askUserTool,
  ];
}
