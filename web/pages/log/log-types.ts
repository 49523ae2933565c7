/** Kinds of lines, as somebody looks for them. */
export const logGroups = [
  { name: "Everything", types: "" },
  { name: "Calls", types: "tool_call,tool_result,tool_error" },
  { name: "Errors", types: "tool_error,gap,repaired" },
  { name: "Decisions and questions", types: "decision,question,answer" },
  { name: "Conversation", types: "user_input,assistant_output" },
  { name: "Rollouts", types: "rollout" },
  { name: "Notes", types: "note" },
  { name: "What went in and out", types: "audit,workflow" },
  { name: "The log itself", types: "opened,closed,rotated,pruned,repaired,gap" },
] as const;

export function toneOfType(type: string): "good" | "bad" | "warn" | "accent" | "" {
  if (type === "tool_error" || type === "gap") return "bad";
  if (type === "tool_result") return "good";
  if (type === "decision" || type === "question" || type === "repaired") return "warn";
  return type === "user_input" || type === "assistant_output" || type === "answer" ? "accent" : "";
}
