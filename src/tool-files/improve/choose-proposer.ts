import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createId } from "../../core/ids.ts";
import { openProposer, type Proposer } from "./ask-for-patch.ts";
import { openAgentProposer } from "./agent-proposer.ts";
import type { ImproveOrder, ImproveParts } from "./improve-tool.ts";

export interface ChosenProposer {
  readonly proposer: Proposer;
  /** As a person knows it. */
  readonly name: string;
  readonly close: () => Promise<void>;
}

/** The background agent that the order names; else a model. */
export async function chooseProposer(
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
