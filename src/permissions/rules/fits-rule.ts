import type { PermitRequest } from "../../core/permit.ts";
import { assessCall } from "../assess-call.ts";
import type { GateOptions } from "../decide-call.ts";
import { findAllowing } from "./match-rule.ts";
import { parseRule, type Rule } from "./permission-rule.ts";

/** Would a rule such as `bash(git *)` let this very call through? One that is no rule lets nothing through. */
export async function fitsRule(options: GateOptions, text: string, request: PermitRequest): Promise<boolean> {
  let rule: Rule;
  try {
    rule = parseRule(text, options.canonicalName);
  } catch {
    return false;
  }
  const { subject } = await assessCall(request, options.judges);
  // What needs no rule otherwise (a command that only reads) has to fit this one all the same.
  const whole = subject.kind === "command" ? { ...subject, toAllow: subject.commands } : subject;
  return findAllowing([rule], request.tool.name, whole) !== undefined;
}
