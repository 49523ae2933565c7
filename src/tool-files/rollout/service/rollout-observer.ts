import type { CallObserver } from "../../../core/call-observer.ts";
import type { Execution } from "../../../core/call.ts";
import type { Clock } from "../../../core/clock.ts";
import { messageOf } from "../../../core/errors.ts";
import type { Emit } from "../../../core/events.ts";
import type { JsonSchema } from "../../../core/json.ts";
import type { RolloutStore, RolloutTransaction } from "../../../core/stores.ts";
import { signFailure } from "../metrics/failure-signature.ts";
import { kindOf } from "../metrics/input-kind.ts";
import { countCall, readFigures } from "../metrics/metrics-aggregator.ts";
import { laneOf } from "../release/canary-router.ts";
import type { PromotionController } from "../release/promotion-controller.ts";
import { failureOf, outcomeOf, type Trial } from "../release/tool-release.ts";
import type { RoutedRun } from "./rollout-router.ts";
import type { TimeoutVerifier } from "./verify-timeouts.ts";

export interface ObserverParts {
  readonly store: RolloutStore;
  readonly controller: PromotionController;
  readonly clock: Clock;
  readonly emit: Emit;
  /** Takes secrets out. */
  readonly mask: <Value>(value: Value) => Value;
  /** What was decided when the call was routed, once; undefined when nothing was tried. */
  readonly takeRun: (executionId: string) => RoutedRun | undefined;
  readonly running: (rolloutId: string) => number;
  readonly verifier: TimeoutVerifier;
  /** Null when the tool does not come from a file. */
  readonly schemaOf: (tool: string) => JsonSchema | null;
  /** Whether calls of this tool are counted although nothing is tried. */
  readonly isCounted: (tool: string) => boolean;
}

export interface RolloutObserver extends CallObserver {
  /** Writes the outcomes that wait to be counted. Never rejects. */
  flush(): Promise<void>;
}

/**
 * Counts the outcomes of tool files. While a canary runs, an outcome is committed before it is reported: the next call, in any
 * process, knows it. A failure here changes nothing about the call.
 */
export function createRolloutObserver(parts: ObserverParts): RolloutObserver {
  const { store, controller, clock, emit } = parts;
  const isFollowUp = followUps();
  const behind = createCountBehind({ store, clock, onFailed: (thrown) => fail(thrown, "") });

  function fail(thrown: unknown, id: string): void {
    const error = `What became of it could not be counted for its rollout: ${messageOf(thrown)}`;
    emit("ledger:failed", { id, error });
  }

  function observe(execution: Execution): Promise<void> | undefined {
    const { toolId: tool, version } = execution;
    const run = parts.takeRun(execution.id);
    const schema = tool === null || version === "builtin" ? null : parts.schemaOf(tool);
    if (tool === null || version === null || !schema) return undefined;
    const trial = run?.trial ?? null;
    const outcome = outcomeOf(execution, trial);
    const isCounted = run !== undefined || parts.isCounted(tool);
    if (outcome === null || (outcome === "ok" && !isCounted)) return undefined;
    const waitedMs = trial?.latencyMs ?? execution.durationMs ?? 0;
    const call = { at: clock.now(), outcome, latencyMs: waitedMs };
    const kind = kindOf(execution.toolInput, schema);
    const isAgain = isCounted && isFollowUp(execution);
    const arm = { tool, version: run?.version ?? version, route: execution.route ?? "stable", lane: laneOf(execution) };
    const wrong = trial?.wrong
      ? { error: trial.wrong, errorType: "wrong_result", output: execution.result?.output ?? "" }
      : null;
    // What a tool says when it is stopped says nothing about why: the limit does.
    const said = outcome === "timeout" ? null : (trial?.failure ?? wrong);
    const failure = outcome === "ok" ? null : (parts.mask(said) ?? failureOf(execution));
    const isRetry = execution.attempt > 1;
    const hasForm = outcome === "ok" || (outcome === "wrong" && trial?.wrongBy === "judge");
    const hasOtherForm = failure?.errorType === "invalid_result" || trial?.wrongBy === "form";
    const format = hasForm || hasOtherForm ? { formatOk: hasForm } : {};
    const count: Count = (transaction) =>
      countCall(transaction, { ...arm, kind }, { ...call, ...format, isRetry, isFollowUp: isAgain });
    if (!run && !failure) {
      behind.add(count);
      return undefined;
    }
    const before = behind.take();
    return store
      .change((transaction) => {
        before(transaction);
        if (failure) addFeedback(transaction, { execution, failure, arm });
        const isTried =
          run !== undefined &&
          controller.observe(transaction, {
            ...call,
            // Whoever had waited on would still be waiting.
            latencyMs: outcome === "timeout" ? Infinity : waitedMs,
            ...arm,
            rolloutId: run.rolloutId,
            executionId: execution.id,
            conversationId: execution.conversationId,
            kind,
            onStable: trial?.onStable ?? null,
            error: failure?.error ?? "",
            running: parts.running(run.rolloutId),
            history: () => historyOf(transaction, { tool, version: run.stable }, call.at),
          });
        if (isCounted) count(transaction);
        return isTried;
      })
      .then((isTried) => {
        const { id: executionId, timeoutMs } = execution;
        if (!isTried || outcome !== "timeout" || trial?.onStable || !run?.repeat || timeoutMs === null) return;
        const { rolloutId, stable } = run;
        parts.verifier.verifyLater({ ...arm, ...run.repeat, kind, rolloutId, stable, executionId, timeoutMs });
      })
      .catch((thrown: unknown) => fail(thrown, execution.id));
  }

  return {
    settled: observe,
    flush: async () => void (await Promise.all([behind.flush(), parts.verifier.flush()])),
  };
}

const longestLog = 2000;

function addFeedback(
  transaction: RolloutTransaction,
  known: {
    execution: Execution;
    failure: NonNullable<Trial["failure"]>;
    arm: { tool: string; version: string; route: "stable" | "canary" };
  },
): void {
  const { execution, failure, arm } = known;
  const { error, errorType, output } = failure;
  transaction.addFeedback({
    tool: arm.tool,
    version: arm.version,
    route: arm.route,
    signature: signFailure({ error, errorType }),
    lastAt: execution.completedAt ?? execution.createdAt,
    executionId: execution.id,
    input: execution.toolInput,
    error,
    errorType,
    log: output.slice(-longestLog),
  });
}

interface History {
  readonly calls: number;
  readonly failures: number;
}

/** Of the stable version, before the first call of the canary. */
function historyOf(
  transaction: RolloutTransaction,
  { tool, version }: { readonly tool: string; readonly version: string },
  now: number,
): History {
  const rows = readFigures(transaction, tool, now);
  const row = rows.find((each) => each.kind === "all" && each.lane === "live" && each.version === version);
  if (!row) return { calls: 0, failures: 0 };
  const { calls, errorRate, timeoutRate } = row.lastCalls;
  return { calls, failures: Math.round(calls * ((errorRate ?? 0) + (timeoutRate ?? 0))) };
}

const remembered = 1000;

/** Says of each settled call whether its conversation called the same tool right before, with another input. */
export function followUps(): (execution: Execution) => boolean {
  const last = new Map<string, { readonly tool: string | null; readonly input: string }>();
  return ({ conversationId, toolId, toolInput }) => {
    if (conversationId === null) return false;
    const input = JSON.stringify(toolInput) ?? "";
    const before = last.get(conversationId);
    last.delete(conversationId);
    last.set(conversationId, { tool: toolId, input });
    if (last.size > remembered) last.delete(last.keys().next().value!);
    return before?.tool === toolId && before.input !== input;
  };
}

/** What is worth counting and worth no waiting: many at once, a little later. */
export interface CountBehind {
  /** Done at the latest 20 ms later, with others. */
  add(count: Count): void;
  /** Whatever waits, as the first part of somebody's transaction. It is done if that is. */
  take(): Count;
  /** Resolves when nothing waits. Never rejects. */
  flush(): Promise<void>;
}

type Count = (transaction: RolloutTransaction) => void;

const delayMs = 20;
const mostWaiting = 200;

export function createCountBehind(options: {
  readonly store: RolloutStore;
  readonly clock: Clock;
  readonly onFailed: (thrown: unknown) => void;
}): CountBehind {
  const { store, clock } = options;
  let waiting: Count[] = [];
  let cancelTimer: (() => void) | undefined;

  function take(): Count {
    const taken = waiting;
    waiting = [];
    cancelTimer?.();
    cancelTimer = undefined;
    return (transaction) => {
      for (const count of taken) count(transaction);
    };
  }

  async function flush(): Promise<void> {
    if (waiting.length > 0) await store.change(take()).catch(options.onFailed);
  }

  return {
    take,
    flush,
    add(count) {
      waiting.push(count);
      if (waiting.length >= mostWaiting) void flush();
      else cancelTimer ??= clock.after(delayMs, () => void flush());
    },
  };
}
