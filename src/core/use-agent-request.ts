import type { DeskRequest } from "./task-service-port.ts";
import type { TaskDoor } from "./task.ts";

/** What `use_agent` takes, whichever door it is offered at. */
export interface UseAgentInput {
  readonly cli_name: string;
  readonly message: string;
  readonly system_prompt?: string | undefined;
  readonly model?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly resume?: string | undefined;
  readonly cwd?: string | undefined;
  /** In seconds. */
  readonly timeout?: number | undefined;
  readonly idempotency_key?: string | undefined;
  readonly idempotent?: boolean | undefined;
}

export function orderOfUseAgent(input: UseAgentInput, door: TaskDoor): DeskRequest {
  return {
    agent: input.cli_name,
    message: input.message,
    systemPrompt: input.system_prompt ?? null,
    model: input.model ?? null,
    args: input.args ?? [],
    resume: input.resume ?? null,
    idempotencyKey: input.idempotency_key ?? null,
    ...(input.idempotent === undefined ? {} : { isIdempotent: input.idempotent }),
    ...(input.cwd === undefined ? {} : { cwd: input.cwd }),
    ...(input.timeout === undefined ? {} : { timeoutMs: Math.ceil(input.timeout * 1000) }),
    door,
  };
}
