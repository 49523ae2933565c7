import type { PermissionMode } from "../core/permission.ts";

/** What a call is to the modes. `shell` is everything that is neither a read nor an edit in the workdir. */
export type CallKind = "read" | "edit" | "shell" | "danger";

/** `rule`: only if a rule or an earlier grant allows it. */
export type ModeAnswer = "allow" | "ask" | "refuse" | "rule" | "allow-if-sandboxed";

const table: Readonly<Record<CallKind, Readonly<Record<PermissionMode, ModeAnswer>>>> = {
  read: { ask: "allow", "accept-edits": "allow", auto: "allow", plan: "allow", never: "allow" },
  edit: { ask: "ask", "accept-edits": "allow", auto: "allow", plan: "refuse", never: "rule" },
  shell: { ask: "ask", "accept-edits": "ask", auto: "allow-if-sandboxed", plan: "refuse", never: "rule" },
  danger: { ask: "ask", "accept-edits": "ask", auto: "ask", plan: "refuse", never: "refuse" },
};

export function askMode(mode: PermissionMode, kind: CallKind): ModeAnswer {
  return table[kind][mode];
}
