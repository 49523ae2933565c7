import { isThenable } from "../core/is-thenable.ts";
import type { Tool } from "../core/tool.ts";
import { assessCall } from "./assess-call.ts";
import { isOwnClaim, type GateOptions } from "./decide-call.ts";
import { findRestricting } from "./rules/match-rule.ts";
import { askMode } from "./mode.ts";

export interface ForeseenCall {
  readonly tool: Tool;
  /** Checked against the tool's schema. */
  readonly input: unknown;
  readonly workdir: string;
}

/**
 * Would a model's call pass without a question, a hook or a danger, and only read? Says it now, and no when that takes
 * longer: the call may start before the reply that asks for it is whole, so nobody may be bothered by it.
 */
export function foreseeQuietRead(options: GateOptions, call: ForeseenCall): boolean {
  const { tool } = call;
  if (!tool.traits.readOnly && tool.name !== "bash") return false;
  if (options.hooks?.matches(tool.name)) return false;
  const found = assessCall(call, options.judges);
  if (isThenable(found)) return false;
  const { kind, subject, dangers, doubts } = found;
  if (kind !== "read" || dangers.length > 0 || doubts.length > 0) return false;
  const { deny, ask } = options.rules;
  if (findRestricting(deny, tool.name, subject) || findRestricting(ask, tool.name, subject)) return false;
  return askMode(options.mode(), "read") === "allow" && !isOwnClaim(options.mode(), tool, kind);
}
