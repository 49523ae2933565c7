import type { Door, Execution } from "../../core/call.ts";
import type { JobGrant } from "../../core/job.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { StandingRules } from "../../permissions/decide-call.ts";
import { parseRule } from "../../permissions/rules/permission-rule.ts";

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
