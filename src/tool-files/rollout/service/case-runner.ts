import type { Clock } from "../../../core/clock.ts";
import { createId } from "../../../core/ids.ts";
import type { CaseRunner } from "../replay/replay-case.ts";
import type { ToolFile, ToolHosts } from "../../host/tool-host.ts";

export interface TrialPlace {
  readonly hosts: ToolHosts;
  readonly clock: Clock;
  readonly workdir: string;
  /** What tools get of the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a content for a trial: in its host as any call, but nobody is asked, and it is no call of anyone. */
export function createCaseRunner({ hosts, clock, workdir, env }: TrialPlace, file: ToolFile): CaseRunner {
  return {
    async prepare(input) {
      await hosts.check(file, input);
    },
    async run(input, signal) {
      let hasAsked = false;
      const { result } = await hosts.call(file, input, {
        executionId: createId("call", clock.now()),
        conversationId: null,
        idempotencyKey: null,
        workdir,
        env,
        signal,
        progress: () => undefined,
        ask: async () => {
          hasAsked = true;
          return { answered: false, reason: "nobody" };
        },
        stopped: () => undefined,
        sandboxed: () => undefined,
      });
      return { result, hasAsked };
    },
  };
}
