import { isFinalTask, type Task } from "../../core/task.ts";
import { noUsage } from "../../core/model.ts";
import type { Proposer } from "./ask-for-patch.ts";
import { improveSystem } from "./improve-prompt.ts";
import { readProposal } from "./read-proposal.ts";
import type { Tasks } from "../../tasks/manager/task-service.ts";

export interface ProposingAgent {
  readonly name: string;
  readonly model: string | null;
}

const system = `${improveSystem} The folder you are in is empty and is thrown away: only what you say in the end counts.`;
const sliceMs = 1000;

/**
 * A conversation with a background agent about one file, a task for each request: in the agent's own session where it has one, else
 * all that was said before is said again. What it says goes through the same checks as the words of a model.
 */
export function openAgentProposer(options: {
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
