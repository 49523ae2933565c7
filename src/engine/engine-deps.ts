import type { AfterRun, CallObserver, WatchRun } from "../core/call-observer.ts";
import type { Clock } from "../core/clock.ts";
import type { Emit } from "../core/events.ts";
import type { Execution, RouteCall } from "../core/call.ts";
import type { Mask } from "../core/mask.ts";
import type { Ask, Permit } from "../core/approval.ts";
import type { ProcessIdentity } from "../core/process.ts";
import type { FileChange } from "../core/tool.ts";
import type { ActiveCalls } from "./active-calls.ts";
import type { Catalog } from "./catalog.ts";
import type { EngineLimits } from "./time-limits.ts";
import type { UnbreakableMask } from "./safe-mask.ts";

/** What the runtime hands to the engine. */
export interface EngineOptions {
  readonly catalog: Catalog;
  /** Why a tool of this name can't be called, in a sentence; undefined when nothing is known of it. */
  readonly whyMissing?: (name: string) => string | undefined;
  /** Filled by the engine; whoever is asked about a call finds it here. */
  readonly activeCalls: ActiveCalls;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly owner: ProcessIdentity | null;
  readonly limits: EngineLimits;
  readonly clock: Clock;
  readonly emit: Emit;
  /** In the order in which they are notified; the ledger is the first. */
  readonly observers: readonly CallObserver[];
  readonly permit: Permit;
  readonly route: RouteCall;
  readonly ask: Ask;
  readonly mask: Mask;
  readonly afterRun?: AfterRun | null;
  readonly watchRun?: WatchRun | null;
  /** Keeps what a file was before a tool changes it. */
  readonly keepBefore?: ((execution: Execution, change: FileChange) => Promise<void> | void) | null;
  /** True for a tool whose input may still be changed by `permit`: what such a call will touch is not known before. */
  readonly mayChangeInput?: ((toolId: string) => boolean) | null;
}

/** The same, and what the engine adds for itself. */
export interface EngineParts extends EngineOptions {
  readonly mask: UnbreakableMask;
  /** Runs a tool so that calls it makes are known as made on behalf of this execution. */
  readonly enter: <Value>(executionId: string, run: () => Value) => Value;
}

/** An execution while it is under way. */
export type Draft = { -readonly [Key in keyof Execution]: Execution[Key] };
