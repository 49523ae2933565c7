import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { defineTool } from "../core/define-tool.ts";
import type { Tool, ToolContext, ToolResult } from "../core/tool.ts";
import { askedLimits, runProgram, type Program, type ShellParts } from "./run-program.ts";

const pythonInput = z.object({
  code: z.string().min(1),
  timeout: z.number().positive().optional().describe("Seconds, default 120"),
  timeout_ms: z.number().positive().optional(),
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
    run: (input, context) => runPython(parts, input.code, context),
  });
}

/** The code is a file, not an argument: arguments have a length limit, and others can read them. */
async function runPython(parts: ShellParts, code: string, context: ToolContext): Promise<ToolResult> {
  const folder = await mkdtemp(join(tmpdir(), "deckhand-python-"));
  try {
    const script = join(folder, "main.py");
    await writeFile(script, code, { mode: 0o600 });
    const program: Program = {
      candidates: [
        ["python3", "-c", runFile, script],
        ["python", "-c", runFile, script],
      ],
      subject: "Python",
      env: { PYTHONUNBUFFERED: "1", PYTHONIOENCODING: "utf-8" },
    };
    return await runProgram(parts, program, context);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// As `python file` would, but imports look in the workdir, not in the folder of the temporary file. The code runs in the
// main module itself, where pickle, unittest and others look for what it defines, and finds no name there but its own.
const runFile = [
  "__import__('sys').argv.pop(0)",
  "__import__('sys').path[0] = ''",
  "exec(compile(open(__import__('sys').argv[0], encoding='utf-8-sig').read(), __import__('sys').argv[0], 'exec'))",
].join("\n");
