import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { defineTool } from "../../../src/core/define-tool.ts";
import type { Tool } from "../../../src/core/tool.ts";
import { createBashTool } from "../../../src/tools/shell/bash.ts";
import { editTool } from "../../../src/tools/files/edit.ts";
import { globTool } from "../../../src/tools/search/glob.ts";
import { createGrepTool } from "../../../src/tools/search/grep.ts";
import { listFilesTool } from "../../../src/tools/search/list-files.ts";
import { createProcessesTool } from "../../../src/tools/shell/background-processes.ts";
import { readTool } from "../../../src/tools/files/read.ts";
import type { ShellParts } from "../../../src/tools/shell/run-program.ts";
import { createRunPythonTool } from "../../../src/tools/shell/run-python.ts";
import { writeTool } from "../../../src/tools/files/write.ts";

const fixtures = join(import.meta.dirname, "../../fixtures/selection");

export interface LabelledQuery {
  readonly tool: string;
  readonly prompt: string;
  /** What a model that knows what it needs would send to `find_tools`; left out: the prompt's own words. */
  readonly query?: string;
  /** Written after the search was tuned, and not used for that since. */
  readonly heldOut: boolean;
}

export async function readQueries(): Promise<LabelledQuery[]> {
  return JSON.parse(await readFile(join(fixtures, "queries.json"), "utf8")) as LabelledQuery[];
}

/** 200 tools of 20 domains; none of them does anything. */
export async function read200Tools(): Promise<Tool[]> {
  const described = JSON.parse(await readFile(join(fixtures, "tools.json"), "utf8")) as DescribedTool[];
  return described.map((each) => ({
    ...defineTool({
      name: each.name,
      description: each.description,
      input: z.looseObject({}),
      traits: { category: each.category },
      run: () => Promise.resolve({ ok: true, output: "" }),
    }),
    inputSchema: each.inputSchema,
  }));
}

interface DescribedTool {
  readonly name: string;
  readonly category: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Some of the real ones, for their names, texts and schemas; nobody runs them here. */
export function describeBuiltinTools(): Tool[] {
  const parts = {} as ShellParts;
  const programs = [createBashTool(parts), createRunPythonTool(parts), createProcessesTool(parts)];
  return [readTool, writeTool, editTool, listFilesTool, globTool, createGrepTool(parts.processes), ...programs];
}
