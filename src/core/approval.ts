import type { Preview } from "./tool.ts";

/** How far a yes reaches. Danger is only ever approved `once`. */
export type GrantScope = "once" | "conversation" | "always";

/** What a person is asked before a call may run. Text of others (commands, paths) has its control characters visible. */
export interface ApprovalRequest {
  readonly executionId: string;
  readonly conversationId: string | null;
  /** Canonical name. */
  readonly toolId: string;
  /** One line: what will be done. */
  readonly title: string;
  /** The whole command, code or other text that would run; null when the title says it all. */
  readonly detail: string | null;
  /** What a write or an edit would change, and more that the tool itself shows. */
  readonly preview: Preview | null;
  /** Why it is asked, each with the exact part it is about. */
  readonly reasons: readonly string[];
  readonly isDanger: boolean;
  /** What may be answered besides no. */
  readonly scopes: readonly GrantScope[];
  /** The rules that "conversation" or "always" would add, exactly as they will be kept; none when only `once` is offered. */
  readonly rules: readonly string[];
}

export type ApprovalAnswer =
  | { readonly decision: "allow"; readonly scope: GrantScope; readonly who: string }
  | { readonly decision: "deny"; readonly who: string; readonly reason?: string }
  /** Nobody is there to ask, or nobody answered; that is never a yes. */
  | { readonly decision: "unanswered"; readonly reason: "nobody" | "cancelled" };

/** Asks a person whether a call may run. Takes as long as it takes; the signal means that nobody needs the answer any more. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;

/** For runtimes without a person. */
export const approveNobody: Approve = () => Promise.resolve({ decision: "unanswered", reason: "nobody" });
