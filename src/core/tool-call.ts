import type { Door } from "./call.ts";
import type { Tool } from "./tool.ts";

/** An order to run a tool, as a model, a person or a program gave it. */
export interface ToolCall extends CallOptions {
  readonly tool: string;
  readonly input?: unknown;
  /** Instead of `input`: JSON text that may not even parse. */
  readonly inputText?: string;
  /** Its id, when that had to be told before the call could begin. */
  readonly id?: string;
  /** This very tool, whatever the catalog has under its name. */
  readonly pinned?: Tool;
  /** Canonical names of the tools that the caller was offered: no other one runs. Omitted: all of the catalog. */
  readonly offered?: ReadonlySet<string>;
}

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly signal?: AbortSignal;
  readonly door?: Door;
  /** Calls of one conversation share the failure guard and the statistics. */
  readonly conversationId?: string;
  readonly turn?: number;
  /**
   * The execution on whose behalf this one runs; it shares its parent's slot. Calls that a tool makes while it runs
   * have it by themselves.
   */
  readonly parentId?: string;
  /** Handed to the tool: who orders the same work again, after a failure or a crash, gives the same one. */
  readonly idempotencyKey?: string;
}
