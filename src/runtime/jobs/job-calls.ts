import { approveNobody, type Approve } from "../../core/approval.ts";
import type { Door, Execution } from "../../core/execution.ts";
import { askNobody, type Ask } from "../../core/question.ts";
import type { JobGrant } from "../../core/schedule.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { StandingRules } from "../../gate/gate.ts";
import { parseRule } from "../../gate/rule.ts";
import type { Asker, Inbox, InboxOptions } from "../../inbox/inbox.ts";

/** Which calls are a job's: its grant is for them alone, and what must be asked about them waits in the inbox. */
export interface JobCalls {
  /** For as long as `work` takes, the calls that it or its agent makes in this conversation are those of the job. */
  hold<Result>(conversationId: string, held: HeldJob, work: () => Promise<Result>): Promise<Result>;
  rulesOf(call: PlacedCall): StandingRules | undefined;
  readonly approve: Approve;
  readonly ask: Ask;
  /** Who asks, for the inbox; also the job, when it is one of its calls. */
  readonly findAsker: NonNullable<InboxOptions["findAsker"]>;
}

type PlacedCall = Pick<Execution, "conversationId" | "door">;

export interface HeldJob {
  readonly jobName: string;
  readonly grant: JobGrant;
  /** A person is asked; what is returned is called when that is over. */
  readonly standStill: () => () => void;
}

export interface JobCallsParts {
  /** The program's own ways to a person; left out where it has none. */
  readonly person: { readonly approve?: Approve; readonly ask?: Ask };
  readonly inbox: Pick<Inbox, "approve" | "ask">;
  /** What becomes of other calls' questions where the program has no way: they are refused, or wait in the inbox. */
  readonly unattended: "refuse" | "inbox";
  readonly catalog: Pick<Catalog, "canonicalName">;
  /** Of a call that is under way. */
  readonly find: (
    executionId: string,
  ) => Pick<Execution, "conversationId" | "door" | "toolId" | "toolName"> | undefined;
}

/** Whoever comes in by another door and names the conversation of a job is not the job. */
const doorsOfJobs: ReadonlySet<Door | null> = new Set(["schedule", "agent"]);

export function createJobCalls(parts: JobCallsParts): JobCalls {
  const { inbox, person, catalog } = parts;
  const held = new Map<string, (HeldJob & { readonly rules: StandingRules })[]>();
  const refuses = parts.unattended === "refuse";
  const usual = {
    approve: person.approve ?? (refuses ? approveNobody : inbox.approve),
    ask: person.ask ?? (refuses ? askNobody : inbox.ask),
  };
  const ofJobs = { approve: person.approve ?? inbox.approve, ask: person.ask ?? inbox.ask };

  function find({ conversationId, door }: PlacedCall) {
    return conversationId !== null && doorsOfJobs.has(door) ? held.get(conversationId) : undefined;
  }

  /** What a job asks about itself, such as whether to try an improvement, is no call. */
  function findByAsker(executionId: string, conversationId: string | null): readonly HeldJob[] | undefined {
    return find(parts.find(executionId) ?? { conversationId, door: "schedule" });
  }

  return {
    async hold(conversationId, { jobName, grant, standStill }, work) {
      const parse = (text: string) => parseRule(text, (name) => catalog.canonicalName(name));
      const rules = { allow: grant.allow.map(parse), deny: grant.deny.map(parse) };
      const entry = { jobName, grant, standStill, rules };
      held.set(conversationId, [...(held.get(conversationId) ?? []), entry]);
      try {
        return await work();
      } finally {
        const others = held.get(conversationId)!.filter((each) => each !== entry);
        if (others.length === 0) held.delete(conversationId);
        else held.set(conversationId, others);
      }
    },
    rulesOf: (call) => find(call)?.[0]?.rules,
    approve(request, signal) {
      const jobs = findByAsker(request.executionId, request.conversationId);
      return jobs ? standingStill(jobs, () => ofJobs.approve(request, signal)) : usual.approve(request, signal);
    },
    ask(question, asker) {
      const jobs = findByAsker(asker.executionId, null);
      return jobs ? standingStill(jobs, () => ofJobs.ask(question, asker)) : usual.ask(question, asker);
    },
    findAsker({ executionId, conversationId: known }): Asker | undefined {
      const call = parts.find(executionId);
      const conversationId = call?.conversationId ?? known;
      const jobName = findByAsker(executionId, conversationId)?.[0]?.jobName ?? null;
      if (!call)
        return jobName === null ? undefined : { conversationId, origin: { door: "schedule", toolName: null, jobName } };
      return { conversationId, origin: { door: call.door, toolName: call.toolId ?? call.toolName, jobName } };
    },
  };
}

/** How long a person takes is not held against the job. */
async function standingStill<Answer>(jobs: readonly HeldJob[], ask: () => Promise<Answer>): Promise<Answer> {
  const goOn = jobs.map(({ standStill }) => standStill());
  try {
    return await ask();
  } finally {
    for (const each of goOn) each();
  }
}
