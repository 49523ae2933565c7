import type { DecidedBy, Permission } from "../core/permission.ts";
import type { PermitDecision } from "../core/permit.ts";
import type { Finding } from "../../packages/command-analysis/src/finding.ts";

export type Facts = Partial<Pick<Permission, "rule" | "who" | "reasons">> & { readonly dangers?: readonly Finding[] };

export function allow(by: DecidedBy, facts: Facts = {}): PermitDecision {
  return { decision: "allow", permission: toPermission("allow", by, facts) };
}

/** No rule and no mode lets it through; `reason` is what the caller is told. */
export function refuse(by: "rule" | "mode", reason: string, facts: Facts = {}): PermitDecision {
  return {
    decision: "deny",
    by: "rule",
    reason,
    permission: toPermission("deny", by, { reasons: [reason], ...facts }),
  };
}

export function toPermission(decision: Permission["decision"], by: DecidedBy, facts: Facts): Permission {
  const { rule = null, who = null, reasons = [], dangers = [] } = facts;
  return { decision, by, rule, who, reasons, dangers: [...new Set(dangers.map((finding) => finding.rule))] };
}

/** The usual answers, made once. */
export const ordered = allow("order");
export const byMode = allow("mode");
