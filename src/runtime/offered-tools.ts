import type { Tool } from "../core/tool.ts";
import type { Processes } from "../process/processes.ts";
import { taskToolNames } from "../tools/tasks/task-tools.ts";
import { managementNames } from "../tool-files/manage/management-tools.ts";
import type { AgentWiring } from "./agent-wiring.ts";
import type { Environment } from "../core/process.ts";

/** The programs of the agents that are known without settings; their adapters would take longer to load than to look for. */
export const agentPrograms = ["claude", "codex", "gemini", "opencode", "qwen", "pi"] as const;

/**
 * What a conversation that begins with these words may be offered. Some tools are worth their tokens only where there is something
 * to use them on, or the person speaks of it.
 */
export function offeredTools(wiring: AgentWiring, words: string): Tool[] {
  const { catalog, workshop, configuration } = wiring;
  const agents = Object.keys(configuration.agents);
  // What manages tool files.
  const isAboutTools = workshop.status().total > 0 || speaksOfTools.test(words);
  // Whoever shares a store has workers; which agents they have is not asked before somebody wants one.
  const hasWorkers = configuration.store.url !== null;
  const isAboutAgents = hasWorkers || agents.length > 0 || speaksOfAgents.test(words) || hasAgent(wiring);
  return catalog
    .list("agent")
    .filter(({ name }) => (isAboutTools || !managementNames.has(name)) && (isAboutAgents || !taskToolNames.has(name)));
}

/**
 * Whether tools around tool files or agents are needed by now that a conversation was not offered, and can't reach through the bridge
 * either. Other tools that were added meanwhile are no reason to lose the provider's cache.
 */
export function lacksTools(wiring: AgentWiring, offered: readonly string[], words: string): boolean {
  if (offered.includes("call_tool")) return false;
  return offeredTools(wiring, words).some(
    ({ name }) => (managementNames.has(name) || taskToolNames.has(name)) && !offered.includes(name),
  );
}

// Also as a part of a tool's own name, such as use_agent.
export const speaksOfTools = /(?<![a-z])tools?\b|도구|툴/i;
const speaksOfAgents = /(?<![a-z])(?:sub-?)?agents?\b|\bdelegat|\bbackground task|\btask_[0-9a-f]{8}|에이전트|위임/i;

function hasAgent({ processes, runtime, env }: Pick<AgentWiring, "processes" | "runtime" | "env">): boolean {
  return agentPrograms.some((program) => isInstalled(processes, program, { cwd: runtime.workdir, env }));
}

/** Whether it could be started now. */
export function isInstalled(
  { detached }: Pick<Processes, "detached">,
  program: string,
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): boolean {
  // Nothing else of the environment decides it, and other names (of exported functions, say) no command gets.
  const path = env["PATH"];
  return detached.findProblem({ argv: [program], cwd, env: path === undefined ? {} : { PATH: path } }) === null;
}
