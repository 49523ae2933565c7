import type { Model } from "../core/model.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import type { Invocation } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** The model of --model, or the one there is. Null when there is none: then the person was told what to do. */
export async function openCliModel(
  runtime: Runtime,
  invocation: Invocation,
  terminal: Terminal,
): Promise<Model | null> {
  const chosen = await runtime.openModel(invocation.value("model"));
  if (chosen.model) return chosen.model;
  terminal.tell(chosen.advice.trimEnd());
  return null;
}
