import type { Execution } from "./call.ts";
import type { Permission } from "./permission.ts";
import type { Recheck, Tool } from "./tool.ts";

export interface PermitRequest {
  readonly tool: Tool;
  readonly input: unknown;
  readonly execution: Execution;
  readonly workdir: string;
  readonly signal: AbortSignal;
}

export type PermitDecision =
  | {
      readonly decision: "allow";
      /** What a hook made of it; it is checked against the schema again. */
      readonly input?: unknown;
      /** What a hook has to say to whoever asked for the call. */
      readonly note?: string;
      /** What was allowed is where paths led then; see `ToolContext`. */
      readonly recheck?: Recheck;
      readonly permission?: Permission;
    }
  | {
      readonly decision: "deny";
      readonly reason: string;
      readonly by: "rule" | "person" | "hook";
      readonly permission?: Permission;
    };

/** Step 4 of a call: may it run? Asking a person takes as long as it takes; the time limits have not started. */
export type Permit = (request: PermitRequest) => PermitDecision | Promise<PermitDecision>;

export const permitAll: Permit = () => allowed;
const allowed: PermitDecision = { decision: "allow" };
