import { join } from "node:path";
import { systemClock } from "../../../src/core/clock.ts";
import type { Emit } from "../../../src/core/events.ts";
import type { TaskStore } from "../../../src/core/task.ts";
import type { Processes } from "../../../src/process/processes.ts";
import { usualTaskLimits, type TaskManagerOptions } from "../../../src/tasks/manager/task-parts.ts";
import { scriptAgents } from "./script-agents.ts";

/** What every manager of the tests works with. */
export function taskOptions(parts: {
  readonly folder: string;
  readonly store: TaskStore;
  readonly processes: Processes;
  readonly emit: Emit;
}): TaskManagerOptions {
  const { folder, store, processes, emit } = parts;
  return {
    store,
    detached: processes.detached,
    adapters: scriptAgents,
    clock: systemClock,
    folder: join(folder, "tasks"),
    workdir: folder,
    limits: { ...usualTaskLimits, graceMs: 300, lingerMs: 300 },
    environment: { PATH: process.env["PATH"], AGENT_KEY: "key", SECRET: "never" },
    owner: processes.identity,
    isAlive: (identity) => processes.isAlive(identity),
    knownSecrets: () => [],
    mask: (text) => text.replaceAll("hunter2", "[masked]"),
    emit,
    mayBypass: () => false,
    mayLeaveWorkspace: () => true,
    whyNoWorkdir: () => undefined,
    onError: () => {},
  };
}
