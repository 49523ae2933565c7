import type { TaskOrder } from "../../core/task.ts";

const placeholders = /\{(model|session|system_prompt)\}/g;
export type Placeholder = "model" | "session" | "system_prompt";

/** The arguments with what the order says in place of `{model}` and the like; those it says nothing for are left out. */
export function fillCommand(command: readonly string[], order: TaskOrder): string[] {
  const values = { model: order.model, session: order.resume, system_prompt: order.systemPrompt };
  return command.flatMap((argument) => {
    const named = [...argument.matchAll(placeholders)].map(([, name]) => values[name as Placeholder]);
    if (named.includes(null)) return [];
    return [argument.replaceAll(placeholders, (_, name: Placeholder) => values[name]!)];
  });
}

export function hasPlace(command: readonly string[], placeholder: Placeholder): boolean {
  return command.some((argument) => argument.includes(`{${placeholder}}`));
}
