import { messageOf } from "../core/errors.ts";
import type { TasksParts } from "./open-tasks.ts";
import type { Runtime } from "./runtime.ts";
import type { AgentWiring, Stages } from "./stages.ts";

// Services that most programs do not use. Their code is loaded, and they are opened, at the first request.

export interface LazyTasks {
  readonly methods: Pick<Runtime, "tasks" | "openWorker">;
  close(): Promise<void>;
}

/** Background agents, and the worker that runs them for other machines. */
export function createLazyTasks({ workspace, records }: Pick<Stages, "workspace" | "records">): LazyTasks {
  const { assertOpen, warn } = workspace;
  const deps: TasksParts = {
    ...workspace,
    store: records.tasks,
    mask: workspace.maskText,
    knownSecrets: () => workspace.masker.known(),
  };
  const tasks = openOnce(async () => {
    const { openTasks } = await import("./open-tasks.ts");
    const opened = await openTasks(deps);
    if (!opened.isDurable) warn(tasksInMemoryOnly);
    return opened;
  });
  return {
    methods: {
      async tasks() {
        assertOpen();
        return tasks.open();
      },
      async openWorker(order) {
        assertOpen();
        const { openWorker } = await import("./open-worker.ts");
        return openWorker(deps, order);
      },
    },
    close: () => tasks.close(),
  };
}

const tasksInMemoryOnly =
  'Tasks are kept in memory only, because store.kind is "memory". They end with this process and leave no record.';

export interface LazyAgents {
  readonly methods: Pick<Runtime, "openModel" | "sessions" | "openAgent" | "improveTool">;
}

type AgentStages = Pick<Stages, "workspace" | "records" | "tools" | "tasks" | "permissions" | "starts" | "calls">;

/** Models, conversations and the agents that lead them. */
export function createLazyAgents(stages: AgentStages): LazyAgents {
  const { workspace, tools, tasks, calls } = stages;
  const { configuration, folders, env, assertOpen } = workspace;
  const wiring = toAgentWiring(stages);
  return {
    methods: {
      async openModel(name) {
        const { openNamedModel } = await import("./open-named-model.ts");
        return openNamedModel({ configuration, env, workdir: folders.workdir }, name);
      },
      sessions: async () => (await import("../agent/session/open-sessions.ts")).openRuntimeSessions(wiring),
      async openAgent(request) {
        assertOpen();
        const { openAgent } = await import("./open-agent.ts");
        return openAgent(wiring, request);
      },
      async improveTool(order) {
        assertOpen();
        const { improveTool } = await import("../tool-files/improve/improve-tool.ts");
        const { whyOut, startCanary, feedback } = await tools.rollouts.open();
        const { list } = calls.methods;
        const { replay } = configuration.rollout;
        return improveTool(
          { ...wiring, env: tools.childEnv, ...tasks.methods, list, replay, feedback, whyOut, startCanary },
          order,
        );
      },
    },
  };
}

function toAgentWiring({ workspace, records, tools, tasks, permissions, starts, calls }: AgentStages): AgentWiring {
  const { config, configuration, folders, mode } = workspace;
  return {
    ...workspace,
    catalog: tools.catalog,
    workshop: tools.workshop,
    prepareFor: tools.prepareFor,
    journal: records.journal,
    leases: records.leases,
    runtime: { workdir: folders.workdir, prepareTools: tools.prepareAll, ...calls.methods, ...tasks.methods },
    permissions,
    permissionMode: () => mode.current,
    hasOwnPermit: config.permit !== undefined,
    isUnattended: config.ask === undefined && configuration.permissions.unattended === "refuse",
    preImages: calls.preImages,
    async countUndo(executionIds) {
      if (executionIds.length === 0 || tools.workshop.status().total === 0) return [];
      const counted: string[] = [];
      try {
        const { orders } = await tools.rollouts.open();
        for (const id of executionIds) {
          const call = await calls.methods.get(id);
          if (call?.version && (await orders.markUndone(call)) === "counted") counted.push(call.version);
        }
      } catch (thrown) {
        // The files are back: that the rollout does not know is no reason to say that the undo failed.
        const error = `This undo could not be counted for its rollout: ${messageOf(thrown)}`;
        workspace.emit("ledger:failed", { id: "", error });
      }
      return counted;
    },
    conversations: new Map(),
    whenStarting: starts.onStart,
  };
}

export interface LazySchedule {
  readonly methods: Pick<Runtime, "schedule" | "clean">;
  /** Stops the runs of this process, and records why. */
  close(): Promise<void>;
}

type ScheduleStages = Pick<
  Stages,
  "workspace" | "records" | "tools" | "tasks" | "jobs" | "approvals" | "calls" | "agents"
>;

/** Jobs, and the removal of old records. Jobs use what agents use, and agents themselves: this stage is the last. */
export function createLazySchedule({
  workspace,
  records,
  tools,
  tasks,
  jobs,
  approvals,
  calls,
  agents,
}: ScheduleStages): LazySchedule {
  const { configuration, folders, clock, maskText, assertOpen } = workspace;
  const runtime = {
    workdir: folders.workdir,
    isSafeMode: tools.isSafeMode,
    maskText,
    prepareTools: tools.prepareAll,
    ...calls.methods,
    ...tasks.methods,
    ...agents.methods,
  };
  const schedule = openOnce(async () => {
    const { openSchedule } = await import("./open-schedule.ts");
    const store = await records.openSchedule();
    return openSchedule({ ...workspace, ...tools, journal: records.journal, runtime, jobs, approvals, store });
  });
  return {
    methods: {
      async schedule() {
        assertOpen();
        return schedule.open();
      },
      async clean(order = {}) {
        assertOpen();
        const { cleanByRetention } = await import("./clean/clean-records.ts");
        const { inbox, openSchedule } = records;
        const shared = configuration.store.url === null ? {} : { shared: { inbox, openSchedule } };
        return cleanByRetention({
          configuration,
          folders,
          clock,
          isDryRun: false,
          door: "library",
          ...shared,
          ...order,
        });
      },
    },
    close: () => schedule.close(),
  };
}

/** Opens a service at the first request. A failure may pass, such as a busy store, so the next request tries again. */
function openOnce<Service extends { close(): Promise<void> }>(open: () => Promise<Service>) {
  let opening: Promise<Service> | undefined;
  return {
    open(): Promise<Service> {
      return (opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      }));
    },
    async close(): Promise<void> {
      // A failure was already reported to the caller of `open`.
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}
