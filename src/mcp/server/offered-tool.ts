import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Progress } from "../../core/tool.ts";

/** A tool as the protocol sees it. */
export interface OfferedTool {
  readonly definition: Tool;
  /** Its answer holds the id of a task (`structuredContent.task_id`), which a client may follow by the protocol's own means. */
  readonly startsTask: boolean;
  /** What went wrong is part of the answer; a throw is an error of the protocol. */
  call(input: Readonly<Record<string, unknown>>, context: OfferedCall): Promise<CallToolResult>;
}

export interface OfferedCall {
  /** The client cancelled the request, or is gone. */
  readonly signal: AbortSignal;
  /** Reaches the client if it asked for that. */
  readonly progress: (update: Progress) => void;
}

/** The tools of one door. */
export interface Toolbox {
  list(): Promise<readonly OfferedTool[]>;
  find(name: string): Promise<OfferedTool | undefined>;
}

export function failedCall(sentence: string): CallToolResult {
  return { content: [{ type: "text", text: sentence }], isError: true };
}
