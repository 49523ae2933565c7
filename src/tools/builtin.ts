import type { Tool } from "../core/tool.ts";
import { askUserTool } from "./ask-user.ts";
import { createBashTool } from "./shell/bash.ts";
import { editTool } from "./files/edit.ts";
import { globTool } from "./search/glob.ts";
import { createGrepTool } from "./search/grep.ts";
import { listFilesTool } from "./search/list-files.ts";
import { createProcessesTool } from "./shell/background-processes.ts";
import { readTool } from "./files/read.ts";
import { createRunPythonTool } from "./shell/run-python.ts";
import { createTaskTools, type TaskToolParts } from "./tasks/task-tools.ts";
import { createWebFetchTool } from "./web/web-fetch.ts";
import { createWebSearchTool, type WebSearchParts } from "./web/web-search.ts";
import { writeTool } from "./files/write.ts";
import type { ShellParts } from "./shell/run-program.ts";

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
