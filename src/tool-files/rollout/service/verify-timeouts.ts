import type { Clock } from "../../../core/clock.ts";
import { messageOf } from "../../../core/errors.ts";
import type { Emit } from "../../../core/events.ts";
import { formatDuration } from "../../../core/time.ts";
import type { RolloutStore } from "../../../core/stores.ts";
import type { Journal } from "../../../records/audit-log/open-log.ts";
import type { VerifiedCall } from "../release/count-observation.ts";
import type { PromotionController } from "../release/promotion-controller.ts";
import type { CaseEnd } from "../replay/replay-case.ts";
import type { Repeat } from "./rollout-router.ts";

/** A call of a version on trial that ran into its time limit, and changes nothing when it is run once more. */
export interface TimedOutCall extends Repeat, Omit<VerifiedCall, "at" | "onStable"> {
  /** Of the version that ran it, and of the stable one, as `name@hash`. */
  readonly version: string;
  readonly stable: string;
  readonly executionId: string;
  /** Stable gets the same. */
  readonly timeoutMs: number;
}

export interface TimeoutVerifierDeps {
  readonly store: RolloutStore;
  readonly controller: PromotionController;
  readonly clock: Clock;
  readonly journal: Journal | null;
  readonly emit: Emit;
  /** Whether the trial is still running. */
  readonly isTried: (tool: string, rolloutId: string) => boolean;
  /** Runs it on stable; null when that could not be done, or was stopped because all is being closed. */
  readonly runOnStable: (call: TimedOutCall) => Promise<CaseEnd | null>;
}

export interface TimeoutVerifier {
  /** Returns at once. The call's outcome was reported already, and stays as it is. */
  verifyLater(call: TimedOutCall): void;
  /** Resolves once what was found out is written. Never rejects. */
  flush(): Promise<void>;
}

/** How many calls may wait to be verified; further ones stay unverified, whichever version ran them. */
const maxWaiting = 8;

/**
 * A failed call is verified while its caller waits. One that ran into its time limit has no time left, so stable runs it
 * afterwards, one call at a time: what stable said is entered into the trial and the log, and the result is dropped.
 */
export function createTimeoutVerifier(deps: TimeoutVerifierDeps): TimeoutVerifier {
  const waiting: TimedOutCall[] = [];
  const writes = new Set<Promise<void>>();
  let isBusy = false;

  async function verifyAll(): Promise<void> {
    for (let call = waiting.shift(); call; call = waiting.shift()) {
      try {
        await verify(call);
      } catch (thrown) {
        const error = `It could not be run again on stable for its rollout: ${messageOf(thrown)}`;
        deps.emit("ledger:failed", { id: call.executionId, error });
      }
    }
    isBusy = false;
  }

  async function verify(call: TimedOutCall): Promise<void> {
    if (!deps.isTried(call.tool, call.rolloutId)) return;
    const end = await deps.runOnStable(call);
    // What needs a person says nothing about stable.
    if (end === null || end.state === "asked") return;
    const write = enter(call, end);
    writes.add(write);
    try {
      await write;
    } finally {
      writes.delete(write);
    }
  }

  async function enter(call: TimedOutCall, end: ToldEnd): Promise<void> {
    const { tool, rolloutId, route, lane, kind, executionId, stable } = call;
    const at = deps.clock.now();
    const onStable = end.state === "passed" ? "ok" : "failed";
    await deps.store.change((transaction) =>
      deps.controller.verify(transaction, { tool, rolloutId, route, lane, kind, at, onStable }),
    );
    const about = { toolName: tool, toolVersion: stable, rolloutId, executionId };
    const reason = describe(call, end);
    deps.journal?.appendBehind({ type: "rollout", ...about, change: "verified", by: "rule", who: null, reason });
  }

  return {
    verifyLater(call) {
      if (waiting.length >= maxWaiting) return;
      waiting.push(call);
      if (isBusy) return;
      isBusy = true;
      void verifyAll();
    },
    flush: async () => void (await Promise.allSettled(writes)),
  };
}

type ToldEnd = Exclude<CaseEnd, { readonly state: "asked" }>;

function describe({ version, route, stable, timeoutMs }: TimedOutCall, end: ToldEnd): string {
  const limit = formatDuration(timeoutMs);
  const what = `The call ran into its limit of ${limit} on ${version} (${route}). It was run again on ${stable} afterwards`;
  if (end.state === "passed") return `${what}, where it succeeded; that result was dropped.`;
  if (end.state === "timeout") return `${what}, where it ran into the same limit.`;
  return `${what}, where it failed: ${end.error}`;
}
