import type { Execution, ExecutionState, Route } from "./call.ts";
import type { ProcessIdentity } from "./process.ts";

export interface ExecutionQuery {
  readonly limit: number;
  readonly states?: readonly ExecutionState[];
  readonly toolId?: string;
  readonly conversationId?: string;
  /** Only executions created before this one; the way to the next page. */
  readonly beforeId?: string;
  /** Only executions created after this one; also the beginning of an id, such as that of a time. */
  readonly afterId?: string;
  /** Where no index leads, about so many rows are looked through, and what is older is not found; left out: all are. */
  readonly mostRows?: number;
}

export interface CancelRequest {
  readonly id: string;
  readonly reason: string;
}

export interface Reach {
  /** The last one within it. */
  readonly lastId: string;
  /** The first one behind it. */
  readonly behindId: string;
}

/** Where executions are kept. Each method is atomic; several processes may use one store at once. */
export interface ExecutionStore {
  /** Saving is nothing worth putting off. */
  readonly isInMemory?: boolean;
  /** Inserts or replaces, all or none. A row that is final is never changed again. */
  save(executions: readonly Execution[]): Promise<void>;
  /** The same at once, for stores that can: true when committed. False: nothing was done, and `save` is the way. */
  saveNow?(executions: readonly Execution[]): boolean;
  get(id: string): Promise<Execution | undefined>;
  /** Newest first. */
  list(query: ExecutionQuery): Promise<Execution[]>;
  /** How far so many rows go, from the newest on or from `beforeId`; undefined when there are no more than that. */
  reach(query: { readonly rows: number; readonly beforeId?: string }): Promise<Reach | undefined>;
  /** True when the execution was under way; its owner finds the request in `takeCancelRequests`. */
  requestCancel(id: string, reason: string): Promise<boolean>;
  /** The requests for this owner's executions that were not handed out before. */
  takeCancelRequests(owner: ProcessIdentity): Promise<CancelRequest[]>;
  /** Changes whenever another connection wrote: a cheap question before a dear one. */
  revision(): number;
  /** How many `prune` would remove. */
  countPrunable(completedBefore: number, signal?: AbortSignal): Promise<number>;
  /** Removes final executions that were completed before the time; says how many. The signal ends it between two steps. */
  prune(completedBefore: number, signal?: AbortSignal): Promise<number>;
  /** Writes what is pending and lets go of the file. Later calls reject with STORE_CLOSED. */
  close(): Promise<void>;
}

/**
 * Where the rollouts of tools are kept, on this machine: documents by name, marks of conversations, what happened, and what
 * failed. What the documents say is the rollout room's. Several processes may use one store at once.
 */
export interface RolloutStore extends RolloutReader {
  /** Another number whenever something was written here, also by another process. Asked before every call of a tool file. */
  revision(): number;
  /** One step among all processes. `work` must not wait, and may be run again when it was not the first. */
  change<Result>(work: (transaction: RolloutTransaction) => Result): Promise<Result>;
}

/** At once: who routes a call can't wait. Throws a RuntimeError when the store can't be read. */
export interface RolloutReader {
  /** A JSON value; undefined when there is none of this name, or when what is there is no JSON. */
  readDocument(name: string): unknown;
  /** Names that begin so, sorted. */
  listDocuments(prefix: string): readonly string[];
  /** What was noted of a conversation in this rollout. */
  findMark(rolloutId: string, key: string): RolloutMark | undefined;
  /** Newest first. */
  listEvents(query: RolloutEventQuery): readonly RolloutEvent[];
  /** The most frequent first. */
  listFeedback(query: FeedbackQuery): readonly ToolFeedback[];
}

export interface RolloutTransaction extends RolloutReader {
  writeDocument(name: string, document: unknown): void;
  /** Of all names that begin so. */
  removeDocuments(prefix: string): void;
  /** `failed` stays. */
  mark(rolloutId: string, key: string, mark: RolloutMark): void;
  /** Forgets the conversations of a rollout that is over. */
  removeMarks(rolloutId: string): void;
  addEvent(event: Omit<RolloutEvent, "id">): void;
  /** One row for each tool, version and signature: a further one counts, and takes the place of the example. */
  addFeedback(feedback: Omit<ToolFeedback, "count" | "firstAt">): void;
}

/** `seen`: it has called the tool; `failed`: and a call of it failed. */
export type RolloutMark = "seen" | "failed";

export interface RolloutEventQuery {
  readonly tool?: string;
  readonly limit: number;
  /** Only events before this one; the way to the next page. */
  readonly beforeId?: number;
}

/** What became of a version, and why. Never changed. */
export interface RolloutEvent {
  /** Counts up. */
  readonly id: number;
  readonly at: number;
  readonly tool: string;
  /** `name@hash`; null when there is none. */
  readonly version: string | null;
  readonly rolloutId: string | null;
  /**
   * - `live`: a content became the stable one without a rollout (the first, a person's edit, back within the window)
   * - `started`, `replayed`, `advanced`, `promoted`, `rolled_back`, `resumed`: as they say
   * - `held`, `inconclusive`, `approval_needed`: it does not go on, and why; told once, not after each call
   * - `withdrawn`: another content took its place before it was decided
   */
  readonly type: RolloutEventType;
  readonly by: "rule" | "person" | "file";
  /** Who, for a person. */
  readonly who: string | null;
  /** One sentence with its figures. */
  readonly reason: string;
  /** Plain JSON. */
  readonly figures: unknown;
}

export type RolloutEventType =
  | "live"
  | "started"
  | "replayed"
  | "advanced"
  | "promoted"
  | "held"
  | "inconclusive"
  | "approval_needed"
  | "rolled_back"
  | "resumed"
  | "withdrawn";

export interface FeedbackQuery {
  readonly tool: string;
  readonly limit: number;
  /** Of this version only. */
  readonly version?: string;
}

/** A failure of a tool, kept for its next improvement. Masked. */
export interface ToolFeedback {
  readonly tool: string;
  readonly version: string;
  readonly route: Route;
  /** The same for failures that have the same cause, as far as their texts tell. */
  readonly signature: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Of the latest one. */
  readonly executionId: string;
  readonly input: unknown;
  readonly error: string;
  readonly errorType: string | null;
  /** The end of what it had printed. */
  readonly log: string;
}

/**
 * The last line of one writer of the journal, kept apart from the journal so that a journal that was cut short shows. A writer
 * is known here before its first line is in the file: then `seq` is 0 and `hash` empty.
 */
export interface JournalHead {
  readonly writer: string;
  readonly seq: number;
  readonly hash: string;
  /** The number of the segment it is in, and how long that was with it; both 0 before the first line. */
  readonly segment: number;
  readonly bytes: number;
  /** When this was known. What its writer wrote more than a moment later is known as well. */
  readonly at: number;
}

/** Segments that retention has removed. */
export interface JournalPrune {
  readonly firstSegment: number;
  readonly lastSegment: number;
  /** Of the last line that was in them; null when there was none. */
  readonly lastHash: string | null;
  readonly at: number;
}

/** What a store remembers of a journal. */
export interface JournalMemory {
  readonly heads: readonly JournalHead[];
  readonly prunes: readonly JournalPrune[];
}

export interface JournalHeads {
  /** Keeps the head of its writer. One with a lower `seq` than is known changes nothing. */
  save(head: JournalHead): Promise<void>;
  /** The same at once, for stores that can. False: nothing was done, and `save` is the way. */
  saveNow?(head: JournalHead): boolean;
  /** Oldest first. */
  list(): Promise<JournalHead[]>;
  /** For writers whose lines were all pruned. */
  remove(writers: readonly string[]): Promise<void>;
  /** Before segments are removed. Never forgotten. */
  savePrune(prune: JournalPrune): Promise<void>;
  /** Oldest first. */
  listPrunes(): Promise<JournalPrune[]>;
}

/** A version of a tool that came to more people, or to all. */
export interface Promotion {
  readonly tool: string;
  /** `name@hash`. */
  readonly version: string;
  readonly at: number;
  /** When it was taken back; null while it is in force. */
  readonly rolledBackAt: number | null;
}

/** A program that dies again and again, soon after each start. */
export interface CrashLoop {
  /** The first of its deaths. */
  readonly beganAt: number;
  readonly deaths: number;
  /** The one that the loop began with, and that is to be taken back; null when none is in question. */
  readonly promotion: Promotion | null;
}

/** Asked once, before any tool is loaded. Null: nothing dies. */
export type FindCrashLoop = (promotions: readonly Promotion[]) => CrashLoop | null;
