import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Emit } from "../core/events.ts";
import type { TaskStore } from "../core/task.ts";
import type { Processes } from "../process/processes.ts";
import type { AgentAdapter } from "../tasks/adapters/agent-adapter.ts";
import { listAdapters } from "../tasks/adapters/list-adapters.ts";
import { usualTaskLimits, type TaskLimits } from "../tasks/task-parts.ts";
import { createTaskManager } from "../tasks/task-manager.ts";
import { agentSettingsOf } from "./agent-entries.ts";
import type { Configuration } from "./configuration.ts";
import type { Folders } from "./folders.ts";
import type { Environment } from "./load-configuration.ts";
import { isInstalled } from "./offered-tools.ts";
import { ownCommand } from "./own-command.ts";
import type { AgentInfo, Tasks } from "./tasks.ts";

export interface TasksParts {
  readonly configuration: Configuration;
  readonly folders: Folders;
  readonly store: TaskStore;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly env: Environment;
  readonly emit: Emit;
  readonly mask: (text: string) => string;
}

export interface OpenedTasks extends Tasks {
  close(): Promise<void>;
}

/** The background agents, with those that an earlier process left taken over. */
export async function openTasks(parts: TasksParts): Promise<OpenedTasks> {
  const { configuration, folders, store, processes, clock, env, emit, mask } = parts;
  const { agents, retention } = configuration;
  const adapters = listAdapters({ own: ownCommand(), agents: agentSettingsOf(agents) });
  const limits = limitsOf(configuration);
  const ttlMs = retention.tasksMinutes * 60_000;
  const manager = createTaskManager({
    store,
    detached: processes.detached,
    adapters,
    clock,
    folder: join(folders.data, "tasks"),
    workdir: folders.workdir,
    limits: { ...usualTaskLimits, ...limits, ttlMs },
    environment: env,
    owner: processes.identity,
    isAlive: (identity) => processes.isAlive(identity),
    mask,
    emit,
    mayBypass: (agent) => agents[agent]?.allow_bypass === true,
    onError: (thrown) => emit("ledger:failed", { id: "", error: mask(messageOf(thrown)) }),
  });
  try {
    await manager.adopt();
  } catch (thrown) {
    await manager.close();
    throw thrown;
  }

  const known = listAdapters({ own: ownCommand() });
  function infoOf({ name, title, install, canResume, program }: AgentAdapter): AgentInfo {
    const isHere = isInstalled(processes, program, { cwd: folders.workdir, env });
    const printsText = (agents[name]?.output ?? (known.has(name) ? "" : "text")) === "text";
    const limit = limits.perAgent[name] ?? limits.usualPerAgent;
    return { name, title, isInstalled: isHere, install, canResume, printsText, limit };
  }

  return {
    ...manager,
    agents: async () => [...adapters.values()].map(infoOf),
    ttlMs,
    isDurable: store.isDurable,
    runsHere: store.shared?.runsHere ?? true,
  };
}

function limitsOf({ agents, limits }: Configuration): Pick<TaskLimits, "perAgent" | "usualPerAgent" | "timeoutMs"> {
  const own = Object.entries(agents).flatMap(([name, { limit }]) => (limit === undefined ? [] : [[name, limit]]));
  return {
    perAgent: Object.fromEntries(own) as Record<string, number>,
    usualPerAgent: limits.maxAgents,
    timeoutMs: limits.taskTimeoutMs,
  };
}
