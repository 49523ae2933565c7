import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { createId } from "../core/ids.ts";
import { openProposer, type Proposer } from "../rollout/improve/ask-for-patch.ts";
import { openAgentProposer } from "./agent-proposer.ts";
import { claimDataFolder } from "./claim-data-folder.ts";
import type { ImproveOrder, ImproveParts } from "./improve-tool.ts";
import { stagingFolder } from "./stage-proposal.ts";

export interface ChosenProposer {
  readonly proposer: Proposer;
  /** As a person knows it. */
  readonly name: string;
  readonly close: () => Promise<void>;
}

/** The background agent that the order names; else a model. */
export async function chooseProposer(
  { folders, clock, tasks }: ImproveParts,
  { agent, openModel, signal }: ImproveOrder,
  tool: string,
): Promise<ChosenProposer> {
  if (!agent) {
    const model = await openModel();
    const conversationId = createId("ses", clock.now());
    const proposer = openProposer({ model, clock, conversationId, signal });
    return { proposer, name: model.id, close: () => Promise.resolve() };
  }
  claimDataFolder(folders);
  await mkdir(stagingFolder(folders, tool), { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(stagingFolder(folders, tool), "agent-"));
  return {
    proposer: openAgentProposer({ tasks: await tasks(), agent, folder, signal }),
    name: agent.name,
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 2 }),
  };
}
