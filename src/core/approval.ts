import type { Door, Execution } from "./call.ts";
import type { Permission } from "./permission.ts";
import type { ProcessIdentity } from "./process.ts";
import type { SharedOwners } from "./task.ts";
import type { Preview, Recheck, Tool } from "./tool.ts";

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

/**
 * - `waiting`: a call waits for it
 * - `answered`, `approved`, `denied`: a person settled it
 * - `withdrawn`: the call was cancelled first
 * - `abandoned`: the process that asked ended first
 *
 * All but the first are final; whoever settles it first wins.
 */
export type InboxState = "waiting" | "answered" | "approved" | "denied" | "withdrawn" | "abandoned";

/** A question or an approval that waits for a person. */
export interface InboxEntry {
  readonly id: string;
  readonly kind: "question" | "approval";
  readonly state: InboxState;
  readonly executionId: string;
  readonly conversationId: string | null;
  /** Null when nothing is known of the call, and in entries of older versions. */
  readonly origin: InboxOrigin | null;
  readonly createdAt: number;
  /** Null for an approval. */
  readonly question: Question | null;
  /** Null for a question. */
  readonly approval: ApprovalRequest | null;
  readonly settledAt: number | null;
  readonly settlement: Settlement | null;
  /** The process that waits. */
  readonly owner: ProcessIdentity | null;
}

/** Who asks, beside the conversation. */
export interface InboxOrigin {
  readonly door: Door | null;
  /** Canonical name. */
  readonly toolName: string | null;
  /** The job whose run it is; null for all others. */
  readonly jobName: string | null;
}

/** What a person said. */
export interface Settlement {
  readonly state: Exclude<InboxState, "waiting">;
  readonly who: string | null;
  /** Of a question. */
  readonly answer: Answer | null;
  /** Of an approval. */
  readonly scope: GrantScope | null;
  readonly reason: string | null;
}

/** Where they are kept. Each method is atomic; several processes may use one store at once. */
export interface InboxStore {
  /** Only where several machines share it. */
  readonly shared?: SharedOwners;
  add(entry: InboxEntry): Promise<void>;
  get(id: string): Promise<InboxEntry | undefined>;
  /** Newest first. */
  list(query: InboxQuery): Promise<InboxEntry[]>;
  /** True for the first to settle it; false when it is unknown or settled. */
  settle(id: string, settlement: Settlement, at: number): Promise<boolean>;
  /** Changes whenever an entry may have been settled. */
  revision(): number;
  /** How many `prune` would remove. */
  countPrunable(settledBefore: number): Promise<number>;
  /** Removes entries that were settled before the time, however; says how many. What waits stays. */
  prune(settledBefore: number): Promise<number>;
}

export interface InboxQuery {
  readonly limit: number;
  readonly states?: readonly InboxState[];
  /** Only entries older than this one; the way to the next page. */
  readonly beforeId?: string;
}

export interface Question {
  readonly text: string;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
  /** Besides the options, free text is welcome. */
  readonly other?: boolean;
}

/** An answer is never made up: nobody there, an empty line and a cancel are all "not answered". */
export type Answer =
  | { readonly answered: true; readonly text: string; readonly selected?: readonly string[] }
  | { readonly answered: false; readonly reason: "cancelled" | "empty" | "nobody" };

export type Ask = (
  question: Question,
  asker: { readonly executionId: string; readonly signal: AbortSignal },
) => Promise<Answer>;

/** For runtimes without a person: every question stays open. */
export const askNobody: Ask = () => Promise.resolve({ answered: false, reason: "nobody" });

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
