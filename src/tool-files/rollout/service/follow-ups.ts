import type { Execution } from "../../../core/call.ts";

const remembered = 1000;

/** Says of each settled call whether its conversation called the same tool right before, with another input. */
export function followUps(): (execution: Execution) => boolean {
  const last = new Map<string, { readonly tool: string | null; readonly input: string }>();
  return ({ conversationId, toolId, toolInput }) => {
    if (conversationId === null) return false;
    const input = JSON.stringify(toolInput) ?? "";
    const before = last.get(conversationId);
    last.delete(conversationId);
    last.set(conversationId, { tool: toolId, input });
    if (last.size > remembered) last.delete(last.keys().next().value!);
    return before?.tool === toolId && before.input !== input;
  };
}
