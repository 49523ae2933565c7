import type { TaskOrder } from "../../core/task.ts";

/** The message for an agent that takes no system prompt: what it says comes first. */
export function prefixMessage({ systemPrompt, message }: TaskOrder): string {
  return systemPrompt === null || systemPrompt.trim() === "" ? message : `${systemPrompt.trimEnd()}\n\n${message}`;
}
