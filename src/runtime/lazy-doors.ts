import type { AgentWiring } from "./agent-wiring.ts";
import type { LazyRollouts } from "./lazy-rollouts.ts";
import type { InboxStore } from "../core/inbox.ts";
import type { ScheduleStore } from "../core/schedule-store.ts";
import type { OpenedSchedule } from "./open-schedule.ts";
import type { OpenedTasks, TasksParts } from "./open-tasks.ts";
import type { Runtime } from "./runtime.ts";

export interface DoorParts {
  readonly wiring: () => AgentWiring;
  readonly rollouts: LazyRollouts;
  readonly tasks: TasksParts;
  readonly inbox: InboxStore;
  /** This machine's own, or one that several share. */
  readonly openScheduleStore: () => Promise<ScheduleStore>;
  /** What tools get of the environment. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Adds to the runtime's warnings. */
  readonly warn: (sentence: string) => void;
  /** Throws when the runtime was closed. */
  readonly assertOpen: () => void;
}

export interface LazyDoors extends Pick<
  Runtime,
  "openModel" | "sessions" | "openAgent" | "improveTool" | "rollouts" | "tasks" | "schedule" | "openWorker" | "clean"
> {
  /** Before anything else is: what runs on a schedule is stopped by the schedule, which records why. */
  stopSchedule(): Promise<void>;
  close(): Promise<void>;
}

/** What most programs do not use: it is loaded when somebody asks for it. */
export function createLazyDoors(parts: DoorParts): LazyDoors {
  const { wiring, rollouts, assertOpen } = parts;
  let tasks: Promise<OpenedTasks> | undefined;
  let schedule: Promise<OpenedSchedule> | undefined;

  async function openTasks(): Promise<OpenedTasks> {
    try {
      const { openTasks: open } = await import("./open-tasks.ts");
      const opened = await open(parts.tasks);
      if (!opened.isDurable) parts.warn(forgetful);
      return opened;
    } catch (thrown) {
      // What is wrong may pass, such as a store that is busy: the next one who asks tries again.
      tasks = undefined;
      throw thrown;
    }
  }

  async function openSchedule(): Promise<OpenedSchedule> {
    try {
      const { openSchedule: open } = await import("./open-schedule.ts");
      return await open({ ...wiring(), store: await parts.openScheduleStore(), emit: parts.tasks.emit });
    } catch (thrown) {
      schedule = undefined;
      throw thrown;
    }
  }

  return {
    async openModel(name) {
      const { openNamedModel } = await import("./open-named-model.ts");
      const { configuration, env, runtime } = wiring();
      return openNamedModel({ configuration, env, workdir: runtime.workdir }, name);
    },
    sessions: async () => (await import("./open-sessions.ts")).openRuntimeSessions(wiring()),
    async openAgent(request) {
      assertOpen();
      const { openAgent } = await import("./open-agent.ts");
      return openAgent(wiring(), request);
    },
    async improveTool(order) {
      assertOpen();
      const { improveTool } = await import("./improve-tool.ts");
      const { workshop, catalog, folders, clock, processes, configuration, runtime } = wiring();
      const { whyOut, startCanary, feedback } = await rollouts.open();
      const known = { workshop, catalog, folders, clock, processes, env: parts.childEnv };
      const list: Runtime["list"] = (query) => runtime.list(query);
      const { replay } = configuration.rollout;
      return improveTool(
        { ...known, list, replay, feedback, whyOut, startCanary, tasks: () => runtime.tasks() },
        order,
      );
    },
    rollouts: async () => (await rollouts.open()).orders,
    async tasks() {
      assertOpen();
      return (tasks ??= openTasks());
    },
    async schedule() {
      assertOpen();
      return (schedule ??= openSchedule());
    },
    async stopSchedule() {
      const opened = await schedule?.catch(() => undefined);
      await opened?.close();
    },
    async openWorker(order) {
      assertOpen();
      const { openWorker } = await import("./open-worker.ts");
      return openWorker(parts.tasks, order);
    },
    async clean(order = {}) {
      assertOpen();
      const { cleanByRetention } = await import("./clean-records.ts");
      const { configuration, folders, clock } = parts.tasks;
      const { inbox, openScheduleStore: openSchedule } = parts;
      const shared = configuration.store.url === null ? {} : { shared: { inbox, openSchedule } };
      return cleanByRetention({ configuration, folders, clock, isDryRun: false, door: "library", ...shared, ...order });
    },
    async close() {
      // What could not be opened was told to whoever asked for it.
      const opened = await tasks?.catch(() => undefined);
      await opened?.close();
    },
  };
}

const forgetful =
  'Tasks are kept in memory only, because store.kind is "memory". They end with this process and leave no record.';
