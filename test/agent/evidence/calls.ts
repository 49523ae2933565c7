import type { Execution } from "../../../src/core/call.ts";
import type { ToolResult } from "../../../src/core/tool.ts";

let number = 0;

function call(toolId: string, toolInput: unknown, more: Partial<Execution> & { result: ToolResult | null }): Execution {
  number += 1;
  const { result } = more;
  return {
    id: `call_${number}`,
    toolName: toolId,
    toolId,
    toolInput,
    state: result?.ok ? "completed" : "failed",
    runPhase: "returned",
    error: result && !result.ok ? result.error : null,
    errorType: null,
    note: null,
    createdAt: number,
    startedAt: number,
    completedAt: number,
    durationMs: 0,
    attempt: 1,
    timeoutMs: null,
    idleMs: null,
    version: "builtin",
    route: "stable",
    canaryBucket: null,
    door: "agent",
    conversationId: "conversation",
    turn: 1,
    parentId: null,
    batchId: null,
    outputBytes: 0,
    stopCause: null,
    stopProof: null,
    killed: [],
    survivors: [],
    owner: null,
    permission: null,
    sandbox: null,
    ...more,
  };
}

/** A command that ended with this exit code, as `bash` records it. */
export function ran(command: string, output: string, exitCode = 0): Execution {
  const data = { exit_code: exitCode, stdout: output, stderr: "" };
  const result: ToolResult =
    exitCode === 0
      ? { ok: true, output, data }
      : { ok: false, error: `Command failed with exit code ${exitCode}`, errorType: "exit_code", output, data };
  return call("bash", { command }, { result });
}

/** A command that the person or a rule did not let run. */
export function refused(command: string): Execution {
  const more = {
    state: "failed",
    runPhase: "not_started",
    error: "Denied",
    errorType: "denied",
    result: null,
  } as const;
  return call("bash", { command }, more);
}

/** A file that was read: its lines come numbered. */
export function read(path: string, text: string): Execution {
  const output = text.split("\n").map((line, index) => `${index + 1}\t${line}`);
  return call(
    "read",
    { file_path: path },
    { result: { ok: true, output: output.join("\n"), data: { file_path: path } } },
  );
}

export function wrote(path: string, content: string): Execution {
  const result = { ok: true, output: `Created ${path}.`, data: { file_path: path }, files: [`/w/${path}`] } as const;
  return call("write", { file_path: path, content }, { result });
}

export function edited(path: string, before: string, after: string): Execution {
  const input = { file_path: path, old_string: before, new_string: after };
  return call("edit", input, {
    result: { ok: true, output: `Edited ${path}.`, data: { file_path: path }, files: [`/w/${path}`] },
  });
}

/** An edit whose text was not found. */
export function missedEdit(path: string, before: string, after: string): Execution {
  const input = { file_path: path, old_string: before, new_string: after };
  return call("edit", input, {
    result: { ok: false, error: `The text was not found in ${path}.`, errorType: "no_match" },
  });
}

export function listed(path: string, names: string): Execution {
  return call("list_files", { path }, { result: { ok: true, output: names } });
}

export function searched(pattern: string, output: string): Execution {
  return call("grep", { pattern }, { result: { ok: true, output } });
}

export function fetched(url: string, output: string): Execution {
  return call("web_fetch", { url }, { result: { ok: true, output } });
}

/** An answer, the calls of its turn, and what is to be said of it: `verdict kind text`. */
export interface LabelledAnswer {
  readonly answer: string;
  readonly calls: readonly Execution[];
  readonly claims: readonly string[];
}
