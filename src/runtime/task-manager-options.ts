import { messageOf } from "../core/errors.ts";
import type { TaskStore } from "../core/task.ts";
import type { AgentAdapter } from "../tasks/adapters/agent-adapter.ts";
import { listAdapters } from "../tasks/adapters/list-adapters.ts";
import { usualTaskLimits, type TaskManagerOptions } from "../tasks/manager/task-parts.ts";
import { agentSettingsOf } from "../tasks/adapters/agent-entries.ts";
import type { Configuration } from "../config/configuration.ts";
import { whyNoWorkdir } from "../config/folders.ts";
import type { TasksParts } from "./open-tasks.ts";
import { ownCommand } from "../process/own-command.ts";

/** All agents there are by the settings, by name. */
export function configuredAdapters({ agents }: Configuration): ReadonlyMap<string, AgentAdapter> {
  return listAdapters({ own: ownCommand(), agents: agentSettingsOf(agents) });
}

/** What a manager of this runtime's tasks is made of. */
export function taskManagerOptions(
  parts: TasksParts,
  place: Pick<TaskManagerOptions, "folder" | "adapters"> & { readonly store: TaskStore },
): TaskManagerOptions {
  const { configuration, folders, processes, clock, env, emit, mask, knownSecrets } = parts;
  const { agents, limits, retention } = configuration;
  const own = Object.entries(agents).flatMap(([name, { limit }]) => (limit === undefined ? [] : [[name, limit]]));
  return {
    ...place,
    detached: processes.detached,
    clock,
    workdir: folders.workdir,
    limits: {
      ...usualTaskLimits,
      perAgent: Object.fromEntries(own) as Record<string, number>,
      usualPerAgent: limits.maxAgents,
      timeoutMs: limits.taskTimeoutMs,
      maxOutputBytes: limits.maxTaskOutputBytes,
      ttlMs: retention.tasksMinutes * 60_000,
    },
    environment: env,
    owner: processes.identity,
    isAlive: (identity) => processes.isAlive(identity),
    mask,
    knownSecrets,
    emit,
    mayBypass: (agent) => agents[agent]?.allow_bypass === true,
    // What a person types, a program does, or a person let a job do; others need an approval or the setting.
    mayLeaveWorkspace: (door) =>
      door === "cli" || door === "library" || door === "schedule" || configuration.permissions.tasksOutsideWorkspace,
    whyNoWorkdir: (folder) => whyNoWorkdir(folder, folders.stateHome),
    onError: (thrown) => emit("ledger:failed", { id: "", error: mask(messageOf(thrown)) }),
  };
}
