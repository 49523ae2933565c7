import type { Clock } from "../core/clock.ts";
import type { FindCrashLoop } from "../core/crash-loop.ts";
import { messageOf } from "../core/errors.ts";
import type { Emit } from "../core/events.ts";
import type { Processes } from "../process/processes.ts";
import type { Configuration } from "./configuration.ts";
import { createLazyRollouts, type LazyRollouts } from "./lazy-rollouts.ts";
import type { Records } from "./open-records.ts";
import type { OpenedTools, ToolsParts } from "./open-tools.ts";
import type { OpenedWorkshop } from "./open-workshop.ts";
import type { Runtime } from "./runtime.ts";
import { userName } from "./user-name.ts";

export interface ToolReleasesParts {
  readonly configuration: Configuration;
  readonly records: Records;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly mask: <Value>(value: Value) => Value;
  readonly workdir: string;
  /** Relative to the workdir. */
  readonly toolFolder: string;
  readonly list: Runtime["list"];
  /** False: nothing is run. */
  readonly replays: boolean;
  /** Left out: nothing is taken back. */
  readonly findCrashLoop?: FindCrashLoop | undefined;
}

/** So many time limits of one recorded call may pass before the first live call goes on: it waits for this. */
const mostWaits = 3;

export interface ToolReleases extends LazyRollouts {
  /** The tool files that ask for releases; they are opened after this. */
  readonly bind: ToolsParts["onWorkshop"];
  /** Breaks off what is being tried before anybody gets it: the next process does it. */
  close(): void;
}

/** The rollouts of the tool files, with the hosts that recorded calls are tried in. */
export function openToolReleases(parts: ToolReleasesParts): ToolReleases {
  const { configuration, records, processes, clock, emit, toolFolder, workdir } = parts;
  const { calls, timeoutMs } = configuration.rollout.replay;
  const closing = new AbortController();
  let bound: { readonly workshop: OpenedWorkshop; readonly childEnv: OpenedTools["childEnv"] } | undefined;
  const rollouts = createLazyRollouts({
    configuration,
    store: records.rollouts,
    journal: records.journal,
    processes,
    clock,
    emit,
    mask: parts.mask,
    toolFolder,
    who: userName(),
    workshop() {
      const { workshop, childEnv } = bound!;
      return {
        ...workshop,
        async replay(order) {
          if (!parts.replays) return null;
          const { replayCanary } = await import("./replay-canary.ts");
          const place = { hosts: await workshop.openHosts(), clock, workdir, env: childEnv, list: parts.list };
          const limits = { calls, caseMs: timeoutMs, totalMs: timeoutMs * mostWaits, signal: closing.signal };
          const report = await replayCanary(place, { ...order, ...limits });
          return closing.signal.aborted ? null : report;
        },
      };
    },
  });

  const problems: string[] = [];

  /** Whatever is wrong with the rollouts, the daemon starts. */
  async function takeBackBlamed(find: FindCrashLoop): Promise<void> {
    try {
      // Mostly there is no crash loop, and nothing needs to be loaded to know that.
      if (find([])) await (await rollouts.open()).takeBackBlamed(find);
    } catch (thrown) {
      problems.push(`Whether a version of a tool began a crash loop could not be found out: ${messageOf(thrown)}`);
    }
  }

  return {
    ...rollouts,
    async bind(workshop, childEnv) {
      bound = { workshop, childEnv };
      if (parts.findCrashLoop) await takeBackBlamed(parts.findCrashLoop);
    },
    warnings: () => [...problems, ...rollouts.warnings()],
    close: () => closing.abort(),
  };
}
