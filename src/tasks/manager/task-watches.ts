import { messageOf } from "../../core/errors.ts";
import type { SharedTasks, Task } from "../../core/task.ts";
import { expireTasks } from "./expire-tasks.ts";
import { lookMs, type TaskManagerOptions } from "./task-parts.ts";
import { settledEvent, watchTask, type TaskWatch, type WatchState } from "./watch-task.ts";

/** The tasks that this process watches, and the one timer that looks at all of them. */
export interface TaskWatches {
  /** `gone`: its process has ended, so that nobody has to wait for the next turn. */
  add(task: Task, gone?: Promise<void>): void;
  /** Undefined when it is not watched here. */
  answer(id: string): string | undefined;
  /** The store knows that it is to be cancelled: whoever watches it is told, and when that one is dead we are it. */
  cancel(id: string): Promise<void>;
  adopt(): Promise<void>;
  /** Resolves when a task has ended here, at the latest after the delay. */
  news(delayMs: number): Promise<void>;
  /** Resolves once the end of a task, which the store has, was reported by the watch here that wrote it. */
  reported(id: string): Promise<void>;
  tell(): void;
  close(): Promise<void>;
}

interface Listeners {
  /** A task of this agent has ended, or waits again. */
  readonly onRoom: (agent: string) => void;
  /** `changed`: somebody wrote to the store since the last turn. */
  readonly onTurn: (changed: boolean) => Promise<void>;
}

interface Watched {
  readonly watch: TaskWatch;
  readonly agent: string;
  looking: Promise<void> | undefined;
}

/** How often what others have left is looked for. */
const adoptMs = 5000;
const expireMs = 60_000;
const complainMs = 10_000;
const mostAdopted = 10_000;

export function createTaskWatches(options: TaskManagerOptions, { onRoom, onTurn }: Listeners): TaskWatches {
  const { store, clock, owner } = options;
  const watched = new Map<string, Watched>();
  const listeners = new Set<() => void>();
  const isDue = { adopt: every(adoptMs), expire: every(expireMs) };
  let seen: number | undefined;
  let complaint = { message: "", at: Number.NEGATIVE_INFINITY };
  let turning = Promise.resolve();
  let cancelTimer = clock.after(lookMs, turn);
  let isClosed = false;

  function turn(): void {
    turning = takeTurn().catch(complain);
    void turning.then(() => {
      if (!isClosed) cancelTimer = clock.after(lookMs, turn);
    });
  }

  async function takeTurn(): Promise<void> {
    // Not waited for: one that is being stopped takes its grace, and the others go on meanwhile.
    for (const id of watched.keys()) void lookAt(id).catch(complain);
    const revision = await store.revision();
    const changed = revision !== seen;
    if (changed) await Promise.all([...watched.keys()].map(readCancel));
    if (!isClosed) await onTurn(changed);
    seen = revision;
    if (!isClosed && store.shared) await patrol(store.shared);
    if (!isClosed && isDue.adopt()) await adopt();
    if (!isClosed && isDue.expire()) await expireTasks(options);
  }

  /** It is tried again five times a second; nobody wants to hear of each. */
  function complain(thrown: unknown): void {
    const message = messageOf(thrown);
    if (message === complaint.message && clock.monotonic() - complaint.at < complainMs) return;
    complaint = { message, at: clock.monotonic() };
    options.onError(thrown);
  }

  async function readCancel(id: string): Promise<void> {
    const reason = (await store.get(id))?.cancelReason ?? null;
    if (reason !== null) watched.get(id)?.watch.cancel(reason);
  }

  function lookAt(id: string): Promise<void> {
    const entry = watched.get(id);
    if (!entry) return Promise.resolve();
    entry.looking ??= follow(id, entry).finally(() => void (entry.looking = undefined));
    return entry.looking;
  }

  async function follow(id: string, { watch, agent }: Watched): Promise<void> {
    let state: WatchState = "busy";
    while (state === "busy") state = await watch.look();
    if (state === "running") return;
    watched.delete(id);
    tell();
    onRoom(agent);
  }

  function add(task: Task, gone?: Promise<void>): void {
    const { agent } = task.order;
    const watch = watchTask(options, task);
    watched.set(task.id, { watch, agent, looking: undefined });
    // Whoever wanted it cancelled meanwhile was told by nobody.
    seen = undefined;
    void gone?.then(() => lookAt(task.id)).catch(complain);
  }

  async function adopt(): Promise<void> {
    const running = await (store.shared
      ? store.shared.listHere()
      : store.list({ states: ["running"], limit: mostAdopted }));
    await Promise.all(running.map(async (task) => ((await takeOver(task)) ? lookOnce(task.id) : undefined)));
  }

  /** Until what it came to is known. Not until what is left of it has been stopped: whoever asks would wait for that, too. */
  function lookOnce(id: string): Promise<void> {
    const looking = lookAt(id);
    // When it fails after the race is over, the next turn tries again and reports that.
    looking.catch(() => {});
    return Promise.race([looking, watched.get(id)?.watch.isStopping]);
  }

  /** Somebody has to notice that a machine is gone. */
  async function patrol(shared: SharedTasks): Promise<void> {
    const lost = await shared.patrol(clock.now());
    for (const task of lost) options.emit("task:settled", settledEvent(task));
    if (lost.length > 0) tell();
  }

  async function takeOver(task: Task): Promise<boolean> {
    const isWatched = watched.has(task.id);
    const isLeft = task.owner === null || !(isWatched || options.isAlive(task.owner));
    if (!isLeft || isClosed) return false;
    const taken = await store.update(task.id, { from: ["running"], owner: task.owner, set: { owner } });
    // A machine that was silent for a while has lost what it still watches, and takes it back.
    if (taken && !isWatched) add(taken);
    return taken !== undefined;
  }

  function tell(): void {
    for (const listener of listeners) listener();
  }

  /** Nobody could ask for them any more. */
  async function endAll(): Promise<void> {
    for (const { watch } of watched.values()) watch.cancel("the process that held this task in memory has ended");
    while (watched.size > 0) await Promise.all([...watched.keys()].map(lookAt));
  }

  function every(delayMs: number): () => boolean {
    let next = clock.monotonic() + delayMs;
    return () => {
      if (clock.monotonic() < next) return false;
      next = clock.monotonic() + delayMs;
      return true;
    };
  }

  return {
    add,
    async adopt() {
      await adopt();
      // Whoever asks once and ends never comes to its first turn, and may be the only one who looks. After what is ours was adopted.
      if (store.shared) await patrol(store.shared);
    },
    tell,
    answer: (id) => watched.get(id)?.watch.answer(),
    async cancel(id) {
      const task = await store.get(id);
      if (task?.state === "running" && !watched.has(id)) await takeOver(task);
      await readCancel(id);
      await lookAt(id);
    },
    news: (delayMs) =>
      new Promise((resolve) => {
        const finish = (): void => {
          cancel();
          listeners.delete(finish);
          resolve();
        };
        const cancel = clock.after(delayMs, finish);
        listeners.add(finish);
      }),
    async reported(id) {
      // A look that fails is tried again at the next turn, which reports its error.
      await watched.get(id)?.looking?.catch(() => {});
    },
    async close() {
      isClosed = true;
      cancelTimer();
      await turning;
      if (!store.isDurable) await endAll();
      await Promise.all([...watched.values()].map(({ watch }) => watch.leave()));
    },
  };
}
