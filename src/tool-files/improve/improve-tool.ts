import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Folders } from "../../config/folders.ts";
import type { Clock } from "../../core/clock.ts";
import { RuntimeError } from "../../core/errors.ts";
import { createId } from "../../core/ids.ts";
import { type Model, noUsage } from "../../core/model.ts";
import type { ToolFeedback } from "../../core/stores.ts";
import { isFinalTask, type Task } from "../../core/task.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { Processes } from "../../process/processes.ts";
import type { OpenedWorkshop } from "../../runtime/open-workshop.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Tasks } from "../../tasks/manager/task-service.ts";
import type { ToolVersion } from "../custom-tool.ts";
import type { ReplayCase } from "../rollout/replay/replay-case.ts";
import type { Snapshot } from "../scan/read-tool-file.ts";
import { openProposer, type Proposer, readProposal } from "./ask-for-patch.ts";
import { failingInputs, failuresOfCalls, failuresOfFeedback, type KnownFailure } from "./collect-failures.ts";
import { improveSystem } from "./improve-prompt.ts";
import type { Improvement } from "./improvement.ts";
import { proposeUntilPassed, type Proposed } from "./propose-until-passed.ts";

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

export interface ChosenProposer {
  readonly proposer: Proposer;
  /** As a person knows it. */
  readonly name: string;
  readonly close: () => Promise<void>;
}

/** The background agent that the order names; else a model. */
async function chooseProposer(
  { clock, tasks }: ImproveParts,
  { agent, openModel, signal }: ImproveOrder,
): Promise<ChosenProposer> {
  if (!agent) {
    const model = await openModel();
    const conversationId = createId("ses", clock.now());
    const proposer = openProposer({ model, clock, conversationId, signal });
    return { proposer, name: model.id, close: () => Promise.resolve() };
  }
  const folder = await mkdtemp(join(tmpdir(), "deckhand-improve-"));
  return {
    proposer: openAgentProposer({ tasks: await tasks(), agent, folder, signal }),
    name: agent.name,
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 2 }),
  };
}

interface ProposingAgent {
  readonly name: string;
  readonly model: string | null;
}

const system = `${improveSystem} The folder you are in is empty and is thrown away: only what you say in the end counts.`;
const sliceMs = 1000;

/**
 * A conversation with a background agent about one file, a task for each request: in the agent's own session where it has one, else
 * all that was said before is said again. What it says goes through the same checks as the words of a model.
 */
function openAgentProposer(options: {
  readonly tasks: Tasks;
  readonly agent: ProposingAgent;
  /** Where it works; empty. */
  readonly folder: string;
  readonly signal: AbortSignal;
}): Proposer {
  const { tasks, agent, folder, signal } = options;
  const said: string[] = [];
  let last: Task | undefined;

  async function order(request: string): Promise<Task> {
    const info = (await tasks.agents()).find(({ name }) => name === agent.name);
    const resume = info?.canResume ? (last?.sessionId ?? null) : null;
    return tasks.start({
      agent: agent.name,
      model: agent.model,
      message: resume === null ? [...said, request].join("\n\n") : request,
      systemPrompt: system,
      cwd: folder,
      resume,
      door: "cli",
    });
  }

  async function settle(ordered: Task): Promise<Task> {
    let task = ordered;
    while (!isFinalTask(task.state)) {
      if (signal.aborted) return tasks.cancel(task.id, "improve was stopped");
      task = await tasks.wait(task.id, sliceMs);
    }
    return task;
  }

  return {
    usage: noUsage,
    async ask(request) {
      last = await settle(await order(request));
      const { result, error, state } = last;
      if (state !== "completed" || result === null) return { ok: "no_reply", reason: error ?? `its task is ${state}` };
      said.push(request, `You replied:\n\n${result}`);
      return readProposal(result);
    },
  };
}
