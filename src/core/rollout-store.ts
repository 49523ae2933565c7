import type { Route } from "./call.ts";

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
