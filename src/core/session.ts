import type { AssistantPart, CallResult, Message, UserPart } from "./message.ts";
import type { StopReason, Usage } from "./model.ts";
import type { ProcessIdentity } from "./process.ts";

/**
 * A session on disk is a tree of entries: each names the one it follows, and is never changed. The last entry of the file
 * is where the conversation stands; going back means to write an entry that follows an earlier one.
 */
export type SessionEntry = SessionEntryBody & {
  readonly v: 1;
  readonly id: string;
  /** Null for the first. */
  readonly parentId: string | null;
  readonly at: number;
};

export type SessionEntryBody =
  /** The first entry. */
  | {
      readonly type: "session";
      readonly sessionId: string;
      readonly workdir: string;
      readonly model: string;
      readonly version: string;
    }
  | { readonly type: "user"; readonly parts: readonly UserPart[] }
  | {
      readonly type: "assistant";
      readonly parts: readonly AssistantPart[];
      readonly model: string;
      readonly stop: StopReason;
      readonly usage: Usage;
      readonly cost: number | null;
    }
  /** Written before the call may change anything: a later run finds by it what became of the call. */
  | { readonly type: "call"; readonly callId: string; readonly executionId: string; readonly tool: string }
  | { readonly type: "results"; readonly results: readonly CallResult[] }
  /** Something that the model is told with the next message, such as files that the person put back. */
  | { readonly type: "remark"; readonly text: string }
  /** All before `firstKeptId` is, for the model, this summary and these pins. */
  | {
      readonly type: "compaction";
      readonly summary: string;
      readonly pins: readonly Pin[];
      /** The first entry that stays as it is; null when none does. */
      readonly firstKeptId: string | null;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** Takes a compaction back. */
  | { readonly type: "compaction_undone"; readonly compactionId: string }
  /** The tools offered to the model, frozen for the conversation. */
  | { readonly type: "tools"; readonly names: readonly string[] }
  | { readonly type: "model"; readonly model: string }
  /** The evidence of an answer; see `AgentEvents`. */
  | { readonly type: "evidence"; readonly answerId: string; readonly report: unknown }
  /** Files of a turn were put back to what they were; those in `left` not at all, or not all the way. */
  | {
      readonly type: "undone";
      readonly turnId: string;
      readonly files: readonly string[];
      readonly left?: readonly string[];
    }
  /** The person wants to begin anew: as long as nothing follows, it is not the one to go on with. */
  | { readonly type: "ended" };

/** What a summary must not lose: it stands beside it, word by word. */
export interface Pin {
  readonly kind: "goal" | "constraint" | "file" | "words" | "open" | "decision";
  readonly text: string;
}

/** A session that is being written. One process at a time: it holds the lease. */
export interface Session {
  readonly id: string;
  readonly path: string;
  /** The entries from the first to where it stands, in order. */
  readonly branch: readonly SessionEntry[];
  /** On disk when it returns: a `kill -9` after this loses nothing. What is kept is masked; `branch` has it raw. */
  append(body: SessionEntryBody): SessionEntry;
  /** Gives the lease back. */
  close(): Promise<void>;
}

/** For lists. */
export interface SessionSummary {
  readonly id: string;
  readonly path: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly model: string;
  /** The first words of the person, one line. */
  readonly title: string;
  readonly prompts: number;
  readonly calls: number;
  /** The person began anew after it. */
  readonly isEnded: boolean;
  /** Some process has it open. */
  readonly isOpen: boolean;
  /** What is wrong with its file, in one sentence; null when it is whole. */
  readonly problem: string | null;
}

/** The conversation as the model gets it. */
export interface Conversation {
  readonly messages: readonly Message[];
  /** The entry each message comes from; null for a summary. */
  readonly entryIds: readonly (string | null)[];
}

/** Who may write a session. */
export interface SessionLease {
  readonly sessionId: string;
  readonly owner: ProcessIdentity;
  readonly takenAt: number;
}

/** Where leases are kept. Each method is atomic; several processes may use one store at once. */
export interface SessionLeases {
  /**
   * Takes the lease if nobody has it, or if the very one that is to be replaced is still there. Returns nothing when it is
   * taken, else the lease that is in the way; also when that is one's own.
   */
  take(lease: SessionLease, replaces?: SessionLease): Promise<SessionLease | undefined>;
  /** False when that owner did not have it. */
  release(sessionId: string, owner: ProcessIdentity): Promise<boolean>;
  /** Oldest first. */
  list(): Promise<SessionLease[]>;
}
