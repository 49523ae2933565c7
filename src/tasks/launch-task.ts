import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ProcessIdentity } from "../core/process-identity.ts";
import type { Task, TaskOrder } from "../core/task.ts";
import { childEnvironment } from "../process/child-environment.ts";
import type { StartError } from "../process/command.ts";
import type { StartRequest } from "../process/resolve-program.ts";
import type { AgentAdapter, LaunchPlan } from "./adapters/agent-adapter.ts";
import { ownerFile } from "./expire-tasks.ts";
import { runFolderOf } from "./task-folder.ts";
import type { TaskManagerOptions } from "./task-parts.ts";
import { checkBypass, invalid } from "./task-request.ts";

export interface LaunchedTask {
  readonly process: ProcessIdentity;
  /** Its shim has ended. */
  readonly gone: Promise<void>;
}

/** Throws TASK_INVALID when this agent can't be started with this order. Starts and writes nothing. */
export function checkLaunch(options: TaskManagerOptions, adapter: AgentAdapter, order: TaskOrder): void {
  const plan = adapter.plan(order, { folder: options.folder, sessionId: randomUUID() });
  // What other machines have is for them to say.
  if (options.store.shared?.runsHere === false) return;
  const problem = options.detached.findProblem(
    startRequest(options, { program: adapter.program, order, plan, id: "task" }),
  );
  if (problem) throw invalid(explain(adapter, problem));
}

/** Folder, files, session id, process: in this order. Throws what `checkLaunch` does, and what the file system does. */
export async function launchTask(
  options: TaskManagerOptions,
  adapter: AgentAdapter,
  task: Task,
): Promise<LaunchedTask> {
  const { store, detached, owner, limits } = options;
  checkBypass(options, task.order);
  const folder = runFolderOf(task);
  const plan = adapter.plan(task.order, { folder, sessionId: randomUUID() });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!store.isDurable) await writeFile(join(task.folder, ownerFile), JSON.stringify(owner), { mode: 0o600 });
  for (const [name, text] of Object.entries(plan.files ?? {})) await writePrivate(join(folder, basename(name)), text);
  const stdinPath = plan.stdin === undefined ? null : join(folder, "stdin");
  if (stdinPath !== null) await writePrivate(stdinPath, plan.stdin!);
  if (plan.sessionId !== null) {
    await store.update(task.id, { from: ["running"], owner, set: { sessionId: plan.sessionId } });
  }
  const start = await detached.start({
    ...startRequest(options, { program: plan.program ?? adapter.program, order: task.order, plan, id: task.id }),
    folder,
    stdinPath,
    limitMs: task.order.timeoutMs,
    graceMs: limits.graceMs,
  });
  if (!start.ok) throw invalid(explain(adapter, start.startError));
  return start;
}

interface Launch {
  readonly program: string;
  readonly order: TaskOrder;
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

function explain({ name, install }: AgentAdapter, { code, message }: StartError): string {
  return code === "ENOENT" ? `The agent "${name}" is not installed: ${message} To install it: ${install}` : message;
}

async function writePrivate(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
}
