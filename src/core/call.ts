import { type ErrorType, RuntimeError } from "./errors.ts";
import type { Permission } from "./permission.ts";
import type { ProcessIdentity, ProcessNote, StopProof } from "./process.ts";
import type { Tool, ToolResult } from "./tool.ts";

/**
 * - `pending`: known, waiting for its turn, a person or a slot
 * - `running`: the tool was started
 * - `completed`: the tool returned `ok: true`
 * - `failed`: it returned `ok: false`, threw, or could not be started; `errorType` says which
 * - `cancelled`: somebody stopped it or said no
 * - `timeout`: its wall or idle limit ran out
 *
 * The last four are final: one of them is entered exactly once.
 */
export type ExecutionState = (typeof executionStates)[number];
export const executionStates = ["pending", "running", "completed", "failed", "cancelled", "timeout"] as const;
export type FinalState = Exclude<ExecutionState, "pending" | "running">;

/** The second axis: was the tool's `run` ever entered, and how was it left? */
export type RunPhase = "not_started" | "started" | "returned" | "threw";

/** Why a call was stopped from outside. */
export type StopCause = "cancel" | "wall" | "idle";

export type Route = "stable" | "canary";

/**
 * Which way a call came in. `dashboard`: somebody who may also approve ordered it at the daemon; `daemon`: a program that may
 * only run did.
 */
export type Door = "library" | "cli" | "agent" | "chat" | "mcp" | "daemon" | "dashboard" | "schedule";

/** The record of one tool call. Every key is always present, so that a reader never has to guess. */
export interface Execution {
  readonly id: string;
  /** The name as it was asked for. */
  readonly toolName: string;
  /** The canonical name; null when there is no such tool. */
  readonly toolId: string | null;
  readonly toolInput: unknown;
  readonly state: ExecutionState;
  readonly runPhase: RunPhase;
  readonly result: ToolResult | null;
  readonly error: string | null;
  readonly errorType: ErrorType | null;
  /** More to tell whoever asked for the call, such as that it failed after retries. */
  readonly note: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly durationMs: number | null;
  /** 1, plus how often this same call failed before in a row. */
  readonly attempt: number;
  readonly timeoutMs: number | null;
  readonly idleMs: number | null;
  readonly version: string | null;
  readonly route: Route | null;
  /** Where its conversation falls among 10,000 when another version is tried; null when none is. */
  readonly canaryBucket: number | null;
  readonly door: Door | null;
  readonly conversationId: string | null;
  readonly turn: number | null;
  readonly parentId: string | null;
  readonly batchId: string | null;
  readonly outputBytes: number;
  readonly stopCause: StopCause | null;
  readonly stopProof: StopProof | null;
  readonly killed: readonly ProcessNote[];
  readonly survivors: readonly ProcessNote[];
  /** The process that runs it. */
  readonly owner: ProcessIdentity | null;
  /** Why it was let through or refused; null when it ended before that was asked. */
  readonly permission: Permission | null;
  /** What held its processes; null when it started none. */
  readonly sandbox: SandboxReport | null;
}

export function isFinal(state: ExecutionState): state is FinalState {
  return state !== "pending" && state !== "running";
}

/** Throws on a step that the state machine does not have. */
export function assertTransition(from: ExecutionState, to: ExecutionState): void {
  if (legalSteps[from].includes(to)) return;
  throw new RuntimeError(
    "ILLEGAL_TRANSITION",
    `An execution can't go from ${from} to ${to}; from ${from} it may go to: ${legalSteps[from].join(", ") || "nothing, it is final"}.`,
  );
}

const legalSteps: Record<ExecutionState, readonly ExecutionState[]> = {
  pending: ["running", "failed", "cancelled"],
  running: ["completed", "failed", "cancelled", "timeout"],
  completed: [],
  failed: [],
  cancelled: [],
  timeout: [],
};

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

/** Step 5 of a call: which version of the tool runs it? */
export type RouteCall = (tool: Tool, execution: Execution) => RoutedCall;

export interface RoutedCall {
  readonly tool: Tool;
  readonly route: Route;
  /** Where the call's conversation falls among 10,000; left out where nothing is tried. */
  readonly bucket?: number | null;
}

export const routeStable: RouteCall = (tool) => ({ tool, route: "stable" });

/** The calls of a conversation, or of one run of it. */
export interface RunStatistics {
  readonly calls: number;
  readonly successes: number;
  readonly failures: number;
  readonly cancelled: number;
  readonly consecutiveReadOnlySuccesses: number;
  readonly consecutiveNonMutatingSuccesses: number;
  readonly consecutiveErrors: number;
  /** Calls that the failure guard did not run again. */
  readonly blockedRepeats: number;
  /** Successes that came right after one failure or more. */
  readonly recoveries: number;
  /** Canonical names in the order of their first use. */
  readonly toolsUsed: readonly string[];
}

/**
 * What held the processes of a call.
 * - `bwrap`: bubblewrap (Linux): file system view, PID namespace, network as configured
 * - `seatbelt`: sandbox-exec (macOS)
 * - `none`: nothing of the operating system
 */
export type SandboxKind = "bwrap" | "seatbelt" | "none";

export type SandboxProfile = "normal" | "strict";

export interface SandboxReport {
  readonly kind: SandboxKind;
  /** Null when there is none. */
  readonly profile: SandboxProfile | null;
  /** Whether its processes could reach the network. */
  readonly network: boolean;
}

/** Of two that held parts of one call, the one that held less. */
export function weakestSandbox(a: SandboxReport, b: SandboxReport): SandboxReport {
  return weight(a) <= weight(b) ? a : b;
}

function weight({ kind, profile, network }: SandboxReport): number {
  return (kind === "none" ? 0 : 4) + (profile === "strict" ? 2 : 0) + (network ? 0 : 1);
}
