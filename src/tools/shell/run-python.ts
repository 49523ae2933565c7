import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { Tool } from "../../core/tool.ts";
import { askedLimits, runIn, runProgram, type Program, type ShellParts } from "./run-program.ts";

const pythonInput = z.object({
  code: z.string().min(1),
  timeout: z.number().positive().optional().describe("Seconds, default 120"),
  timeout_ms: z.number().positive().optional(),
  cwd: z.string().min(1).optional().describe("Folder to run in, default the workdir"),
});

export type PythonInput = z.output<typeof pythonInput>;

export function createRunPythonTool(parts: ShellParts): Tool<PythonInput> {
  return defineTool({
    name: "run_python",
    description: "Run Python 3 code in the workdir. Print what you want to see.",
    traits: { readOnly: false, risk: "high", category: "shell", replay: "never" },
    timeoutMs: 120_000,
    stopMs: 15_000,
    input: pythonInput,
    limits: askedLimits,
    preview: ({ code }) => Promise.resolve({ text: code }),
    run: ({ code, cwd }, context) =>
      runIn(cwd, context, (folder) => runProgram(parts, programOf(code, folder), context)),
  });
}

/** The code is a file, not an argument: arguments have a length limit, and others can read them. */
function programOf(code: string, cwd: string): Program {
  return {
    candidates: [
      ["python3", "-c", runFile],
      ["python", "-c", runFile],
    ],
    script: code,
    cwd,
    subject: "Python",
    env: { PYTHONUNBUFFERED: "1", PYTHONIOENCODING: "utf-8" },
  };
}

// As `python file` would, but imports look in the workdir, not in the folder of the temporary file. The code runs in the
// main module itself, where pickle, unittest and others look for what it defines, and finds no name there but its own.
const runFile = [
  "__import__('sys').argv.pop(0)",
  "__import__('sys').path[0] = ''",
  "exec(compile(open(__import__('sys').argv[0], encoding='utf-8-sig').read(), __import__('sys').argv[0], 'exec'))",
].join("\n");
