import type { Execution } from "./execution.ts";
import type { Tool } from "./tool.ts";

export interface PermitRequest {
  readonly tool: Tool;
  readonly input: unknown;
  readonly execution: Execution;
  readonly workdir: string;
  readonly signal: AbortSignal;
}

export type PermitDecision =
  /** `input`: what a hook made of it; it is checked against the schema again. */
  | { readonly decision: "allow"; readonly input?: unknown }
  | { readonly decision: "deny"; readonly reason: string; readonly by: "rule" | "person" | "hook" };

/** Step 4 of a call: may it run? Asking a person takes as long as it takes; the time limits have not started. */
export type Permit = (request: PermitRequest) => PermitDecision | Promise<PermitDecision>;

export const permitAll: Permit = () => allowed;
const allowed: PermitDecision = { decision: "allow" };
