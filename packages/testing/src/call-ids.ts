import type { Message } from "../../../src/core/message.ts";

/** The id of a call that its script does not name: the same for the same place in a conversation. */
export function defaultCallId(position: number, index: number): string {
  return `call_${position + 1}_${index + 1}`;
}

/** Gives the wanted ids, or others where the conversation has those already, as when a turn is said again. */
export function createIdGiver(messages: readonly Message[]): (wanted: string) => string {
  const taken = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.parts) if (part.type === "call") taken.add(part.callId);
  }
  return (wanted) => {
    let id = wanted;
    for (let again = 2; taken.has(id); again++) id = `${wanted}_${again}`;
    taken.add(id);
    return id;
  };
}
