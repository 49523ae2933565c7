import { join } from "node:path";
import type { Configuration } from "../config/configuration.ts";
import { type Folders, scopeOf, whyNoWorkdir } from "../config/folders.ts";
import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Emit } from "../core/events.ts";
import type { Environment } from "../core/process.ts";
import type { TaskStore } from "../core/task.ts";
import { ownCommand } from "../process/own-command.ts";
import type { Processes } from "../process/processes.ts";
import { realPath } from "../process/sandbox/system-mounts.ts";
import type { AgentAdapter } from "../tasks/adapters/agent-adapter.ts";
import { agentSettingsOf } from "../tasks/adapters/agent-entries.ts";
import { listAdapters } from "../tasks/adapters/list-adapters.ts";
import { createTaskManager } from "../tasks/manager/task-manager.ts";
import { usualTaskLimits, type TaskManagerOptions } from "../tasks/manager/task-parts.ts";
import type { AgentInfo, Tasks } from "../tasks/manager/task-service.ts";
import { withWorkers } from "../tasks/worker/worker.ts";
import { isInstalled } from "./open-conversation.ts";

export interface TasksParts {
  readonly configuration: Configuration;
  readonly folders: Folders;
  /** Of this machine alone; another one counts where the settings name a shared store. */
  readonly store: TaskStore;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly env: Environment;
  readonly emit: Emit;
  readonly mask: (text: string) => string;
  readonly knownSecrets: () => readonly string[];
}

export interface OpenedTasks extends Tasks {
  close(): Promise<void>;
}

/** The background agents, with those that an earlier process left taken over. */
export async function openTasks(parts: TasksParts): Promise<OpenedTasks> {
  const { configuration, folders, processes, env } = parts;
  const { agents } = configuration;
  const adapters = configuredAdapters(configuration);
  const shared = await openSharedStore(parts);
  const store = shared ?? parts.store;
  // One that can't be used says so before a folder is made.
  if (!shared) await parts.store.revision();
  const options = taskManagerOptions(parts, { store, folder: join(folders.data, "tasks"), adapters });
  const { limits } = options;
  const manager = createTaskManager(options);

  async function close(): Promise<void> {
    await manager.close();
    await shared?.close();
  }

  try {
    await manager.adopt();
  } catch (thrown) {
    await close();
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
    close,
    agents: () => withWorkers([...adapters.values()].map(infoOf), store.shared, limits.usualPerAgent),
    ttlMs: limits.ttlMs,
    isDurable: store.isDurable,
    runsHere: store.shared?.runsHere ?? true,
  };
}

/** Whoever only orders and asks is no worker; null where tasks are this machine's own. */
async function openSharedStore({ configuration, folders, clock }: TasksParts): Promise<TaskStore | null> {
  const { store, retention } = configuration;
  if (store.url === null) return null;
  const { openPostgresTaskStore } = await import("../records/postgres/tasks/postgres-task-store.ts");
  return openPostgresTaskStore({
    address: store.url,
    clock,
    worker: null,
    scope: scopeOf(configuration, folders),
    dataFolder: realPath(folders.data)[0] ?? folders.data,
    keepMs: retention.tasksMinutes * 60_000,
  });
}

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
