import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Task, TaskOrder } from "../../core/task.ts";
import { childEnvironment } from "../../process/run/child-environment.ts";
import type { StartError } from "../../process/run/run-request.ts";
import type { StartRequest } from "../../process/run/resolve-program.ts";
import type { AgentAdapter, LaunchPlan, PlacedOrder } from "../adapters/agent-adapter.ts";
import { ownerFile, storeFile } from "./expire-tasks.ts";
import { runFolderOf } from "./task-folder.ts";
import type { TaskManagerOptions } from "./task-parts.ts";
import { checkBypass, checkFolder, invalid } from "./task-request.ts";

export interface LaunchedTask {
  readonly process: ProcessIdentity;
  /** Its shim has ended. */
  readonly gone: Promise<void>;
}

/** Throws TASK_INVALID when this agent can't be started with this order. Starts and writes nothing. */
export function checkLaunch(options: TaskManagerOptions, adapter: AgentAdapter, given: TaskOrder): void {
  const order = placeOrder(options, given);
  const plan = adapter.plan(order, { folder: options.folder, sessionId: randomUUID() });
  // What other machines have is for them to say.
  if (options.store.shared?.runsHere === false) return;
  const request = startRequest(options, { program: adapter.program, order, plan, id: "task" });
  const problem = options.detached.findProblem(request);
  if (problem) throw invalid(explain(options, adapter, { cwd: order.cwd, problem }));
}

/**
 * Folder, files, session id, process: in this order. Undefined: whoever was too slow for that has lost the task meanwhile, and starts
 * nothing. Throws what `checkLaunch` does, and what the file system does.
 */
export async function launchTask(
  options: TaskManagerOptions,
  adapter: AgentAdapter,
  task: Task,
): Promise<LaunchedTask | undefined> {
  const { store, detached, owner, limits } = options;
  checkBypass(options, task.order);
  const order = placeOrder(options, task.order);
  checkPlace(options, task.order);
  const folder = runFolderOf(task);
  const plan = adapter.plan(order, { folder, sessionId: randomUUID(), secrets: options.knownSecrets() });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!store.isDurable) await writeFile(join(task.folder, ownerFile), JSON.stringify(owner), { mode: 0o600 });
  if (store.shared) await writeFile(join(task.folder, storeFile), store.shared.name, { mode: 0o600 });
  for (const [name, text] of Object.entries(plan.files ?? {})) await writePrivate(join(folder, basename(name)), text);
  const stdinPath = plan.stdin === undefined ? null : join(folder, "stdin");
  if (stdinPath !== null) await writePrivate(stdinPath, plan.stdin!);
  const set = { sessionId: plan.sessionId ?? task.sessionId };
  const kept = await store.update(task.id, { from: ["running"], owner, set });
  // Another attempt may be ours again.
  if (kept?.attempt !== task.attempt) return undefined;
  const start = await detached.start({
    ...startRequest(options, { program: plan.program ?? adapter.program, order, plan, id: task.id }),
    folder,
    stdinPath,
    limitMs: order.timeoutMs,
    graceMs: limits.graceMs,
  });
  if (!start.ok) throw invalid(explain(options, adapter, { cwd: order.cwd, problem: start.startError }));
  return start;
}

function placeOrder({ workdir }: TaskManagerOptions, order: TaskOrder): PlacedOrder {
  return { ...order, cwd: resolve(workdir, order.cwd ?? "") };
}

/** A folder that was replaced by a link while the task waited must not lead its agent elsewhere. */
function checkPlace(options: TaskManagerOptions, { cwd }: TaskOrder): void {
  const path = resolve(options.workdir, cwd ?? "");
  if (!existsSync(path)) return;
  const real = realpathSync(path);
  if (cwd !== null && options.store.shared === undefined && real !== path) {
    throw invalid(`The working directory "${path}" leads to ${real} since the task was ordered. Start it again.`);
  }
  checkFolder(options, real);
}

interface Launch {
  readonly program: string;
  readonly order: PlacedOrder;
  readonly plan: LaunchPlan;
  readonly id: string;
}

function startRequest({ environment }: TaskManagerOptions, { program, order, plan, id }: Launch): StartRequest {
  const env = childEnvironment(environment, { add: plan.passes });
  for (const [name, value] of Object.entries(plan.env)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return { argv: [program, ...plan.args], cwd: order.cwd, env, executionId: id };
}

interface StartProblem {
  readonly cwd: string;
  readonly problem: StartError;
}

/** The system's ENOENT is that of a folder as well as that of a program. */
function explain(
  { store }: TaskManagerOptions,
  { name, install }: AgentAdapter,
  { cwd, problem: { code, message } }: StartProblem,
): string {
  if (code !== "ENOENT") return message;
  if (existsSync(cwd)) return `The agent "${name}" is not installed: ${message} To install it: ${install}`;
  return store.shared
    ? `The working directory "${cwd}" does not exist on the worker. Create it there, or omit it to use the worker's workspace.`
    : `The working directory "${cwd}" no longer exists. Create it again, or choose another one.`;
}

async function writePrivate(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
}
