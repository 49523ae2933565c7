import type { Execution } from "../core/execution.ts";
import type { ToolCall } from "../core/tool-call.ts";
import type { Batch } from "../engine/batch.ts";
import type { BatchOptions } from "../engine/engine.ts";
import type { RunStatistics } from "../core/run-statistics.ts";

/** What an agent needs of the runtime that does its work. */
export interface AgentHost {
  openBatch(options: BatchOptions): Batch;
  /** The model begins a call of this tool: what judging it needs gets ready. */
  prepareFor?(tool: string): Promise<void> | undefined;
  /** May it start while the reply still streams? Only what reads, and what nobody would be asked about. Says it now. */
  mayStartEarly(call: ToolCall): boolean;
  /** Called once, when the intent is recorded and before the tool is entered; not at all when it never comes to that. */
  whenStarting(executionId: string, act: () => void): void;
  cancel(executionId: string, reason: string): Promise<boolean>;
  statistics(conversationId: string): RunStatistics;
  /** The tool's own name. */
  canonicalName(tool: string): string | undefined;
  /** As it may be shown and kept. */
  maskExecution(execution: Execution): Execution;
  maskText(text: string): string;
  /** Keeps a whole output that is too long for the model; the path of the file, or null when it can't be kept. */
  spill(text: string, executionId: string): Promise<string | null>;
  /** A prompt was taken, by this entry of the session: what is changed from now on can be put back together. */
  beginTurn(entryId: string): void;
  /** What happened beside the conversation that its model should know, once; null when nothing did. Never rejects. */
  news?(): Promise<string | null>;
  /** A line of the log. */
  log(type: "user_input" | "assistant_output", text: string): void;
}

export interface AgentSettings {
  readonly maxTurns: number;
  /** US dollars; null: no limit. */
  readonly maxCost: number | null;
  /** How much of one tool's output the model gets. */
  readonly maxResultCharacters: number;
  /** Null: the model's own window, or 100,000 when that is not known. */
  readonly maxContextTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** The first reply to a task must call a tool; a plain question is free of it. */
  readonly forceFirstTool: boolean;
  /** How often a request is sent that fails for reasons that may pass. */
  readonly maxAttempts: number;
  /** What the person adds to the system prompt; null: nothing. */
  readonly addedPrompt: string | null;
}

export const defaultAgentSettings: AgentSettings = {
  maxTurns: 20,
  maxCost: null,
  maxResultCharacters: 10_000,
  maxContextTokens: null,
  maxOutputTokens: null,
  forceFirstTool: false,
  maxAttempts: 10,
  addedPrompt: null,
};
