import type { Execution } from "./call.ts";
import type { Tool, ToolResult } from "./tool.ts";

export interface AfterRunRequest {
  readonly tool: Tool;
  readonly input: unknown;
  readonly execution: Execution;
  readonly result: ToolResult;
  readonly workdir: string;
}

/** What runs after a tool returned, before its outcome is told. It can add to what is told, never change what happened. */
export interface AfterRun {
  matches(toolId: string): boolean;
  /** What it has to say to whoever asked for the call. Never rejects. */
  run(request: AfterRunRequest): Promise<string | undefined>;
}
