/**
 * How much happens without asking.
 * - `ask`: reads run; everything else is asked for
 * - `accept-edits`: edits inside the workdir run too
 * - `auto`: what a sandbox holds runs too
 * - `plan`: look, but change nothing
 * - `never`: no questions; what no rule allows is refused
 */
export type PermissionMode = (typeof permissionModes)[number];
export const permissionModes = ["ask", "accept-edits", "auto", "plan", "never"] as const;

/**
 * Who or what decided that a call may run, or that it may not.
 * - `mode`: the permission mode
 * - `rule`: a rule of the configuration
 * - `grant`: an earlier yes of a person, kept for the conversation or for always
 * - `person`: somebody was asked
 * - `order`: a person or a program ordered the very call, and nothing in it is dangerous
 * - `hook`: a hook said no
 */
export type DecidedBy = "mode" | "rule" | "grant" | "person" | "order" | "hook";

/** Step 4 of a call, as its record keeps it. */
export interface Permission {
  readonly decision: "allow" | "deny";
  readonly by: DecidedBy;
  /** The rule, as it was written; null when none was involved. */
  readonly rule: string | null;
  /** Who said so, when it was a person. */
  readonly who: string | null;
  /** The ids of the rules that call it dangerous (`delete.recursive`); none when nothing does. */
  readonly dangers: readonly string[];
  /** What made it dangerous, or why it was refused. */
  readonly reasons: readonly string[];
}
