import type { Clock } from "../../core/clock.ts";
import { RuntimeError } from "../../core/errors.ts";
import { type Model, noUsage } from "../../core/model.ts";
import type { ToolFeedback } from "../../core/rollout-store.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { Processes } from "../../process/processes.ts";
import type { Proposer } from "./ask-for-patch.ts";
import { failingInputs, failuresOfCalls, failuresOfFeedback, type KnownFailure } from "./collect-failures.ts";
import type { Improvement } from "./improvement.ts";
import type { ReplayCase } from "../rollout/replay/replay-case.ts";
import type { ToolVersion } from "../custom-tool.ts";
import type { Snapshot } from "../scan/read-tool-file.ts";
import type { ProposingAgent } from "./agent-proposer.ts";
import { chooseProposer } from "./choose-proposer.ts";
import type { Folders } from "../../config/folders.ts";
import type { OpenedWorkshop } from "../../runtime/open-workshop.ts";
import { proposeUntilPassed, type Proposed } from "./propose-until-passed.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Tasks } from "../../tasks/manager/task-service.ts";

export type { CheckRow, Improvement } from "./improvement.ts";

/** Begins to try a content that `improve` made. Rejects with a RuntimeError when it can't. */
export type StartCanary = (order: {
  readonly tool: string;
  readonly snapshot: Snapshot;
  readonly origin: "improve";
}) => Promise<{ readonly rolloutId: string; readonly sentence: string }>;

export interface ImproveParts {
  readonly workshop: OpenedWorkshop;
  readonly catalog: Catalog;
  readonly folders: Folders;
  readonly clock: Clock;
  readonly processes: Processes;
  /** What tools get of the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly list: Runtime["list"];
  /** The most frequent first. */
  readonly feedback: (tool: string) => readonly ToolFeedback[];
  /** Why a content of this tool may not come back; null when it may. */
  readonly whyOut: (tool: string, hash: string) => string | null;
  readonly replay: { readonly calls: number; readonly timeoutMs: number };
  readonly startCanary: StartCanary;
  readonly tasks: () => Promise<Tasks>;
}

export interface ImproveOrder {
  /** Or an alias of it. */
  readonly tool: string;
  /** Opened when there is something to ask. */
  readonly openModel: () => Promise<Model>;
  /** A background agent that proposes in place of a model. */
  readonly agent?: ProposingAgent;
  /** Replies of the model at most. */
  readonly attempts: number;
  /** Recorded inputs at most; left out: as the settings say. */
  readonly cases?: number;
  /** Stops before the canary. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  /** Whether a proposal may reach what the tool could not reach before. Asked before anything of it runs. */
  readonly mayReach: (names: readonly string[], diff: string) => Promise<boolean>;
  /** The person's last word about what passed. */
  readonly confirm: (improvement: Improvement) => Promise<boolean>;
  /** What happens now, in half a sentence. */
  readonly onStep: (step: string) => void;
  /** Why a proposal was not taken, and the model is asked again. */
  readonly onRefused: (reason: string) => void;
}

/**
 * From the failures of a tool to a version of it that is tried: a model proposes, without tools, or another agent, a new content of its one file; it is
 * checked and rehearsed; a person has the last word. Rejects with a RuntimeError for a tool that is none or not from a file.
 */
export async function improveTool(parts: ImproveParts, order: ImproveOrder): Promise<Improvement> {
  const stable = await findVersion(parts, order.tool);
  const found = await findFailures(parts, stable);
  const nothing: Improvement = {
    outcome: "nothing",
    tool: stable.spec.name,
    file: stable.file.shown,
    from: stable.tool.version,
    to: null,
    sentence: `Nothing to improve: no failure of ${stable.spec.name} is recorded. Call it with an input that fails, then run this again.`,
    summary: "",
    diff: "",
    attempts: [],
    replay: null,
    rolloutId: null,
    usage: noUsage,
  };
  if (found.failures.length === 0) return nothing;
  const { proposer, name, close } = await chooseProposer(parts, order);
  try {
    const proposed = await proposeUntilPassed(parts, order, { stable, ...found, proposer, modelId: name });
    return await finish(parts, order, { base: nothing, proposed, proposer });
  } finally {
    await close();
  }
}

async function findVersion({ workshop, catalog }: ImproveParts, name: string): Promise<ToolVersion> {
  await workshop.refresh();
  const canonical = catalog.resolve(name)?.name ?? name;
  const version = workshop.liveVersion(canonical);
  if (version) return version;
  if (catalog.resolve(name)) {
    throw new RuntimeError("UNKNOWN_TOOL", `${canonical} does not come from a tool file, so it can't be improved.`);
  }
  const known = workshop.status().files.flatMap(({ tool }) => (tool === null ? [] : [tool]));
  const hint = known.length === 0 ? "There are no tool files here." : `Tool files here: ${known.join(", ")}.`;
  throw new RuntimeError("UNKNOWN_TOOL", `There is no tool "${name}" that comes from a file. ${hint}`);
}

interface FoundFailures {
  readonly failures: readonly KnownFailure[];
  readonly failing: readonly ReplayCase[];
}

/** What was noted as feedback; else what the records of calls show. */
async function findFailures({ feedback, list }: ImproveParts, { tool }: ToolVersion): Promise<FoundFailures> {
  const { name, version } = tool;
  const calls = await list({ toolId: name, states: ["failed", "timeout"], limit: 200 });
  const noted = failuresOfFeedback(feedback(name), version);
  const failures = noted.length > 0 ? noted : failuresOfCalls(calls, version);
  return { failures, failing: failingInputs(failures, calls, { version, most: 10 }) };
}

async function finish(
  parts: ImproveParts,
  order: ImproveOrder,
  {
    base,
    proposed,
    proposer,
  }: { readonly base: Improvement; readonly proposed: Proposed; readonly proposer: Proposer },
): Promise<Improvement> {
  const { last, ...told } = proposed;
  const { snapshot, ...found } = last;
  const improvement: Improvement = { ...base, ...told, ...found, usage: proposer.usage };
  if (snapshot === null) return improvement;
  if (order.isDryRun) return { ...improvement, sentence: `${found.to} passed; a dry run starts nothing.` };
  if (!(await order.confirm(improvement))) {
    return { ...improvement, outcome: "declined", sentence: `Nothing was started: ${found.to} was declined.` };
  }
  const { rolloutId, sentence } = await parts.startCanary({ tool: base.tool, snapshot, origin: "improve" });
  return {
    ...improvement,
    outcome: "started",
    rolloutId,
    sentence: `${found.to} is tried from now on (${rolloutId}). ${sentence}`,
  };
}
