import type { Execution } from "../../core/call.ts";
import type { ToolFeedback } from "../../core/stores.ts";
import { signFailure } from "../rollout/metrics/failure-signature.ts";
import { isWhole, keyOf } from "../rollout/replay/choose-cases.ts";
import type { ReplayCase } from "../rollout/replay/replay-case.ts";

/** What goes wrong with a tool, once for each cause. */
export interface KnownFailure {
  readonly signature: string;
  readonly count: number;
  /** Of the latest one. */
  readonly executionId: string;
  readonly input: unknown;
  readonly error: string;
  readonly errorType: string | null;
  readonly log: string;
}

/** The feedback about one version, and where there is none about it, about all others. The most frequent first. */
export function failuresOfFeedback(rows: readonly ToolFeedback[], version: string): KnownFailure[] {
  const own = rows.filter((row) => row.version === version);
  return own.length > 0 ? own : [...rows];
}

/** The same from the records of calls, newest first, where nobody kept feedback. */
export function failuresOfCalls(calls: readonly Execution[], version: string): KnownFailure[] {
  const known = new Map<string, KnownFailure>();
  for (const { id, toolInput: input, error, errorType, result } of callsThatFailed(calls, version)) {
    const text = error ?? "It failed without a reason.";
    const signature = signFailure({ error: text, errorType });
    const latest = known.get(signature);
    const count = (latest?.count ?? 0) + 1;
    const first = { signature, executionId: id, input, error: text, errorType, log: result?.output ?? "" };
    known.set(signature, { ...(latest ?? first), count });
  }
  return [...known.values()].sort((a, b) => b.count - a.count);
}

/** Inputs to try a new version with: one of each cause first, then more of the calls. What is masked or cut is no input. */
export function failingInputs(
  failures: readonly KnownFailure[],
  calls: readonly Execution[],
  { version, most }: { readonly version: string; readonly most: number },
): ReplayCase[] {
  const more = callsThatFailed(calls, version).map(({ id, toolInput }) => ({ executionId: id, input: toolInput }));
  const chosen = new Map<string, ReplayCase>();
  for (const { executionId, input } of [...failures, ...more]) {
    const key = keyOf(input);
    if (chosen.size < most && !chosen.has(key) && isWhole(input)) chosen.set(key, { name: executionId, input });
  }
  return [...chosen.values()];
}

/** Those of this version; where there is none, those of all others. */
function callsThatFailed(calls: readonly Execution[], version: string): readonly Execution[] {
  const failed = calls.filter(isOfTool);
  const own = failed.filter((call) => call.version === version);
  return own.length > 0 ? own : failed;
}

/** The tool was entered, and failed: not its caller, a person, or the runtime. */
function isOfTool({ state, errorType, runPhase }: Execution): boolean {
  if (state !== "failed" && state !== "timeout") return false;
  return runPhase !== "not_started" && !notTheTools.has(errorType ?? "");
}

const notTheTools = new Set(
  "unknown_tool invalid_input repeated_failure denied cancelled runtime_lost store spawn disk_full resources".split(
    " ",
  ),
);
