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
import { createTaskTools } from "../tools/tasks/task-tools.ts";
import type { TaskToolParts } from "../tools/tasks/task-tool.ts";
import { createWebFetchTool } from "../tools/web-fetch.ts";
import { createWebSearchTool, type WebSearchParts } from "../tools/web-search.ts";
import { writeTool } from "../tools/write.ts";
import type { ShellParts } from "../tools/run-program.ts";

export interface BuiltinParts {
  readonly shell: ShellParts;
  readonly web: WebSearchParts;
  readonly tasks: TaskToolParts;
}

export function createBuiltinTools({ shell, web, tasks }: BuiltinParts): Tool[] {
  const webSearchTool = createWebSearchTool(web);
  return [
    readTool,
    writeTool,
    editTool,
    listFilesTool,
    globTool,
    createGrepTool(shell.processes),
    createBashTool(shell),
    createRunPythonTool(shell),
    createProcessesTool(shell),
    createWebFetchTool(web),
    ...(webSearchTool === undefined ? [] : [webSearchTool]),
    askUserTool,
    ...createTaskTools(tasks),
  ];
}
