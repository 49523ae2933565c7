import type { Door, Execution } from "../../core/call.ts";
import type { Job, JobGrant, JobWork, Run } from "../../core/job.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { StandingRules } from "../../permissions/decide-call.ts";
import { parseRule } from "../../permissions/rules/permission-rule.ts";
import type { Approvals } from "../../runtime/approvals.ts";
import type { OpenedWorkshop } from "../../runtime/open-workshop.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { RunContext, RunOutcome } from "./job-runner.ts";

/** The jobs that are running here, and which calls are theirs. A job's grant covers only its own calls. */
export interface HeldJobs {
  /** While `work` runs, the calls that it or its agent makes in this conversation belong to the job. */
  hold<Result>(conversationId: string, held: HeldJob, work: () => Promise<Result>): Promise<Result>;
  /** The jobs that a call belongs to; undefined when there is none. */
  find(call: PlacedCall): readonly HeldJob[] | undefined;
  rulesOf(call: PlacedCall): StandingRules | undefined;
}

export type PlacedCall = Pick<Execution, "conversationId" | "door">;

export interface HeldJob {
  readonly jobName: string;
  readonly grant: JobGrant;
  /** Pauses the job's time limit while a person is asked; the returned function resumes it. */
  readonly standStill: () => () => void;
}

/** A call that comes in another way and names the conversation of a job does not belong to the job. */
const doorsOfJobs: ReadonlySet<Door | null> = new Set(["schedule", "agent"]);

export function createHeldJobs(catalog: Pick<Catalog, "canonicalName">): HeldJobs {
  const held = new Map<string, (HeldJob & { readonly rules: StandingRules })[]>();

  function find({ conversationId, door }: PlacedCall) {
    return conversationId !== null && doorsOfJobs.has(door) ? held.get(conversationId) : undefined;
  }

  return {
    async hold(conversationId, job, work) {
      const parse = (text: string) => parseRule(text, (name) => catalog.canonicalName(name));
      const { allow, deny } = job.grant;
      const entry = { ...job, rules: { allow: allow.map(parse), deny: deny.map(parse) } };
      held.set(conversationId, [...(held.get(conversationId) ?? []), entry]);
      try {
        return await work();
      } finally {
        const others = held.get(conversationId)!.filter((each) => each !== entry);
        if (others.length === 0) held.delete(conversationId);
        else held.set(conversationId, others);
      }
    },
    find,
    rulesOf: (call) => find(call)?.[0]?.rules,
  };
}

/** What jobs use of the runtime. */
export type JobRuntime = Pick<
  Runtime,
  "workdir" | "isSafeMode" | "maskText" | "prepareTools" | "call" | "tasks" | "openModel" | "openAgent" | "improveTool"
>;

/** What the work of jobs is done with. */
export interface JobRunnerParts {
  readonly runtime: JobRuntime;
  readonly catalog: Catalog;
  readonly workshop: OpenedWorkshop;
  readonly jobs: Pick<HeldJobs, "hold">;
  readonly approvals: Pick<Approvals, "approve">;
  readonly now: () => number;
}

/** One run of a job, about to be done. */
export interface JobToRun<Kind extends JobWork["kind"]> {
  readonly job: Job;
  readonly run: Run;
  readonly work: Extract<JobWork, { readonly kind: Kind }>;
  readonly context: RunContext;
}

/** Not held against the job: what it needs is there again when safe mode is over. */
export const leftOut: RunOutcome = {
  state: "skipped",
  reason: "Safe mode is on (DECKHAND_SAFE_MODE=1): tool files and tools of MCP servers are left out.",
  summary: null,
};

/** It would fail the same way if it were tried again. */
export function hopeless(reason: string): RunOutcome {
  return { state: "failed", reason, summary: null, isHopeless: true };
}
