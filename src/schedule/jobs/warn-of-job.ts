import { messageOf } from "../../core/errors.ts";
import type { Job, JobGrant, JobWork } from "../../core/job.ts";
import type { Catalog } from "../../engine/catalog.ts";
import { parseRule } from "../../permissions/rules/permission-rule.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { noModel } from "../runs/run-prompt-job.ts";

/** What keeps a job that was added from doing its work as things are, a sentence each; without secrets. */
export async function warnOfJob(
  runtime: Pick<Runtime, "prepareTools" | "tools" | "tasks" | "openModel" | "maskValue">,
  { grant, work }: Job,
): Promise<readonly string[]> {
  await runtime.prepareTools();
  return runtime.maskValue([...warnOfRules(runtime.tools, grant), ...(await warnOfWork(runtime, work))]);
}

/** Rules that speak of no tool at all. */
const ownRules: ReadonlySet<string> = new Set(["improve"]);

/** A sentence for each rule of a grant that is about a tool which is not here; it may come later. */
function warnOfRules(
  catalog: Pick<Catalog, "canonicalName" | "suggest">,
  { allow, deny }: JobGrant,
): readonly string[] {
  return [...allow, ...deny].flatMap((text) => {
    const { tool } = parseRule(text, (name) => catalog.canonicalName(name));
    // Servers of MCP are not started for this, so what they offer is not known.
    const isKnown = tool.includes("*") || tool.startsWith("mcp_") || ownRules.has(tool) || catalog.canonicalName(tool);
    if (isKnown) return [];
    const [meant] = catalog.suggest(tool);
    const hint = meant === undefined ? "See `deckhand tools`." : `Did you mean ${meant}?`;
    return [`The rule ${JSON.stringify(text)} is about no tool that is here: there is none named "${tool}". ${hint}`];
  });
}

/** A sentence when what a job needs, its agent or its model, is not here; it may come later. */
export async function warnOfWork(
  runtime: Pick<Runtime, "tasks" | "openModel">,
  work: JobWork,
): Promise<readonly string[]> {
  switch (work.kind) {
    case "agent":
      return warnOfAgent(runtime, work.order.agent);
    case "prompt":
      // One that it names was checked, and its key may be there when it runs.
      return work.model === null ? warnOfModel(runtime) : [];
    default:
      return [];
  }
}

async function warnOfAgent(runtime: Pick<Runtime, "tasks">, wanted: string): Promise<readonly string[]> {
  const tasks = await runtime.tasks();
  const agent = (await tasks.agents()).find(({ name }) => name === wanted);
  if (!agent || agent.isInstalled || !tasks.runsHere) return [];
  return [`The agent "${wanted}" is not installed here: its runs fail until it is. To install it: ${agent.install}`];
}

async function warnOfModel(runtime: Pick<Runtime, "openModel">): Promise<readonly string[]> {
  const problem = await runtime.openModel().then(({ model }) => (model ? null : noModel), messageOf);
  return problem === null ? [] : [`Its runs fail as things are: ${problem}`];
}
