import { RuntimeError } from "../../core/errors.ts";

/** The order asks for something this agent can't do, or nobody should: one sentence. */
export function refuse(sentence: string): never {
  throw new RuntimeError("TASK_INVALID", sentence);
}
