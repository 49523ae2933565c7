import type { Execution } from "../../core/call.ts";

/** A call, as far as an answer can speak of it. */
export interface TracedCall {
  readonly id: string;
  readonly tool: string;
  readonly hasRun: boolean;
  readonly isOk: boolean;
  /** The shell command or the code; null for other tools. */
  readonly command: string | null;
  readonly exitCode: number | null;
  /** The file it reads or changes; null when it is not about one. */
  readonly path: string | null;
  readonly isChange: boolean;
  readonly output: string;
  /** All text that went in. */
  readonly input: string;
}

const changing = new Set(["write", "edit"]);

export function traceCalls(executions: readonly Execution[]): TracedCall[] {
  return executions.map((execution) => {
    const tool = execution.toolId ?? execution.toolName;
    const input = Object(execution.toolInput) as Readonly<Record<string, unknown>>;
    const command = textOf(input["command"]) ?? (tool === "run_python" ? textOf(input["code"]) : null);
    return {
      id: execution.id,
      tool,
      hasRun: execution.runPhase !== "not_started",
      isOk: execution.state === "completed",
      command,
      exitCode: exitCodeOf(execution),
      path: textOf(input["file_path"]) ?? textOf(input["path"]),
      isChange: changing.has(tool),
      output: outputOf(execution, tool),
      input: textsIn(input, mostLevels).join("\n"),
    };
  });
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function exitCodeOf({ result }: Execution): number | null {
  const code = (Object(result?.data) as { readonly exit_code?: unknown }).exit_code;
  return typeof code === "number" ? code : null;
}

function outputOf({ result, error }: Execution, tool: string): string {
  const text = [result?.output ?? "", result?.ok === false ? result.error : (error ?? "")].join("\n");
  // oxlint-disable-next-line no-control-regex -- colours of a terminal
  const plain = text.replaceAll(/\u001b\[[0-9;]*m/g, "");
  return tool === "read" ? plain.replaceAll(/^\d+\t/gm, "") : plain;
}

/** No tool takes anything near it, and the stack does not hold what a model can write. */
const mostLevels = 100;

function textsIn(value: unknown, levels: number): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || levels === 0) return [];
  return Object.values(value).flatMap((each) => textsIn(each, levels - 1));
}
