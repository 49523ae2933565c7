import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { defineTool } from "../core/define-tool.ts";
import type { Tool, ToolContext, ToolResult } from "../core/tool.ts";
import type { CommandEnd } from "../process/command.ts";
import { limitsOf, type ShellParts } from "./bash.ts";
import { commandResult } from "./command-result.ts";
import { failure } from "./failure.ts";

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
    limits: limitsOf,
    run: (input, context) => runPython(parts, input.code, context),
  });
}

/** The code is a file, not an argument: arguments have a length limit, and others can read them. */
async function runPython(parts: ShellParts, code: string, context: ToolContext): Promise<ToolResult> {
  const folder = await mkdtemp(join(tmpdir(), "deckhand-python-"));
  try {
    const script = join(folder, "main.py");
    await writeFile(script, code, { mode: 0o600 });
    for (const program of ["python3", "python"]) {
      const end = await runScript(parts, [program, "-c", runFile, script], context);
      if (end.startError?.code === "ENOENT") continue;
      if (end.stop) context.stopped(end.stop);
      try {
        const { maxOutputBytes, keepOutput } = parts;
        const options = { executionId: context.executionId, keepOutput, maxOutputBytes, subject: "Python" };
        return await commandResult(end, options);
      } finally {
        await end.discard();
      }
    }
    return failure("spawn", "There is no python3 on this machine", "Install Python 3, or use bash.");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// As `python file` would, but imports look in the workdir, not in the folder of the temporary file.
const runFile = [
  "import sys",
  "sys.argv = sys.argv[1:]",
  "sys.path[0] = ''",
  "code = open(sys.argv[0], encoding='utf-8', newline='').read()",
  "exec(compile(code, '<code>', 'exec'), {'__name__': '__main__'})",
].join("\n");

function runScript(
  { processes, maxOutputBytes }: ShellParts,
  argv: readonly [string, ...string[]],
  context: ToolContext,
): Promise<CommandEnd> {
  return processes.runCommand({
    argv,
    cwd: context.workdir,
    env: { ...context.env, PYTHONUNBUFFERED: "1", PYTHONIOENCODING: "utf-8" },
    executionId: context.executionId,
    signal: context.signal,
    maxOutputBytes,
    onOutput: (stream, output) => context.progress({ stream, output }),
  });
}
