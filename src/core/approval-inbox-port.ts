import type { ApprovalRequest, GrantScope } from "./approval.ts";
import type { Door } from "./call.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { Answer, Question } from "./question.ts";
import type { SharedOwners } from "./shared-owners.ts";

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
