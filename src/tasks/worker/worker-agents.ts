import type { SharedTasks } from "../../core/task.ts";
import type { AgentInfo } from "../manager/task-service.ts";

/** The agents that this machine knows, and those of workers; where workers run tasks, what they have is what is installed. */
export async function withWorkers(
  known: readonly AgentInfo[],
  shared: SharedTasks | undefined,
  usualLimit: number,
): Promise<readonly AgentInfo[]> {
  if (shared?.runsHere !== false) return known;
  const { names, isWhole } = await shared.listAgents();
  const have = new Set(names);
  const others = names.filter((name) => known.every((agent) => agent.name !== name));
  return [
    ...known.map((agent) => ({ ...agent, isInstalled: have.has(agent.name) || (!isWhole && agent.isInstalled) })),
    ...others.map((name) => describeOther(name, usualLimit)),
  ];
}

/** One that only the settings of a worker name: what it can do, nobody knows here. */
function describeOther(name: string, limit: number): AgentInfo {
  const title = `${name}, of a worker`;
  return { name, title, isInstalled: true, install: "", canResume: false, printsText: true, limit };
}
