import type { AssistantPart, CallResult, Message, UserPart } from "../../../../src/core/message.ts";

/** Collects a conversation from what a protocol sends: several items may be one message of ours. */
export interface Transcript {
  readonly system: string;
  readonly messages: readonly Message[];
  addSystem(text: string): void;
  addUser(parts: readonly UserPart[]): void;
  /** What the assistant said without anybody in between is one message. */
  addAssistant(parts: readonly AssistantPart[]): void;
  addResult(result: Omit<CallResult, "tool"> & { readonly tool?: string }): void;
}

export function createTranscript(): Transcript {
  const systems: string[] = [];
  const messages: Message[] = [];
  const toolOf = new Map<string, string>();
  return {
    get system() {
      return systems.join("\n\n");
    },
    messages,
    addSystem(text) {
      if (text !== "") systems.push(text);
    },
    addUser(parts) {
      if (parts.length > 0) messages.push({ role: "user", parts });
    },
    addAssistant(parts) {
      for (const part of parts) if (part.type === "call") toolOf.set(part.callId, part.tool);
      const last = messages.at(-1);
      if (last?.role !== "assistant") messages.push({ role: "assistant", parts });
      else messages[messages.length - 1] = { role: "assistant", parts: [...last.parts, ...parts] };
    },
    addResult({ callId, text, isError, tool }) {
      const result = { callId, tool: tool ?? toolOf.get(callId) ?? "", text, isError };
      const last = messages.at(-1);
      if (last?.role !== "tool") messages.push({ role: "tool", results: [result] });
      else messages[messages.length - 1] = { role: "tool", results: [...last.results, result] };
    },
  };
}
