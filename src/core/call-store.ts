import type { Execution, ExecutionState } from "./call.ts";
import type { ProcessIdentity } from "./process-identity.ts";

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
