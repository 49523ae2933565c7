import type { Origin, ReplayReport } from "../release/tool-release.ts";
import { chooseCases, type RecordedCall } from "../replay/choose-cases.ts";
import { joinReasons, replayCases } from "../replay/replay-cases.ts";
import type { ToolVersion } from "../../custom-tool.ts";
import { createCaseRunner, type TrialPlace } from "./case-runner.ts";
import type { Runtime } from "../../../runtime/runtime.ts";

export interface ReplayPlace extends TrialPlace {
  readonly list: Runtime["list"];
}

export interface ReplayOrder {
  readonly stable: ToolVersion;
  readonly canary: ToolVersion;
  readonly origin: Origin;
  /** How many recorded inputs at most. */
  readonly calls: number;
  /** For one case. */
  readonly caseMs: number;
  readonly totalMs: number;
  readonly signal: AbortSignal;
  readonly onTried?: (tried: number, cases: number) => void;
}

/** Tries a canary before anyone gets it: with the cases of its spec, and with what stable was called with. */
export async function replayCanary(place: ReplayPlace, order: ReplayOrder): Promise<ReplayReport> {
  const { stable, canary, origin, calls, caseMs, totalMs, signal } = order;
  const { fixed, recorded, skipped } = chooseCases({
    // A person may change what is expected; who is tried may not.
    fixed: (origin === "person" ? canary : stable).spec.cases,
    recorded: await listRecorded(place.list, stable.spec.name, calls),
    // Both must say so: the one was called with these inputs, the other is to run them.
    traits: { readOnly: stable.tool.traits.readOnly && canary.tool.traits.readOnly },
    most: calls,
  });
  const report = await replayCases({
    cases: [...fixed, ...recorded],
    onCanary: createCaseRunner(place, canary.file),
    onStable: createCaseRunner(place, stable.file),
    limit: { clock: place.clock, caseMs, totalMs, signal },
    onTried: order.onTried,
  });
  return { ...report, skipped: joinReasons(skipped, report.skipped) };
}

/** Calls of this tool that completed, newest first; enough of them to find `calls` different inputs, usually. */
export async function listRecorded(list: Runtime["list"], toolId: string, calls: number): Promise<RecordedCall[]> {
  if (calls === 0) return [];
  const completed = await list({ toolId, states: ["completed"], limit: Math.min(calls * 10, 1000) });
  return completed.map(({ id, toolInput }) => ({ executionId: id, input: toolInput }));
}
