import { messageOf, RuntimeError } from "../../core/errors.ts";
import { isFinalTask, taskStates, type Task, type TaskQuery, type TaskState } from "../../core/task.ts";
import { toWire } from "../../core/wire.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import type { AgentInfo, Tasks } from "../../tasks/manager/task-service.ts";
import { agentToWire, printableTask } from "../../runtime/views/call-view.ts";
import {
  type Command,
  commonOptions,
  type Invocation,
  type Option,
  readLimit,
  readSeconds,
  readStates,
  storeOption,
  suggest,
  UsageError,
} from "../parser/command.ts";
import { exitCode } from "../parser/exit-code.ts";
import { describeId, findById, searchedItems } from "../find-by-id.ts";
import { tellWarnings, withRuntime } from "../open-runtime.ts";
import { isInsideCall, refuseInsideCall } from "./agent/agent-flags.ts";
import { readTask as readMessage } from "./agent/read-prompt.ts";
import { neutralizeText } from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { exitCodeOfTask, followTask, reportUnavailable } from "./tasks-follow.ts";
import { messages, renderAgents, renderTask, renderTasks } from "./tasks-text.ts";

const defaultLimit = 20;
const options = { ...storeOption, ...commonOptions };
const follow: Option = { short: "f", summary: "Follow the task until it ends (exit codes as for `tasks follow`)" };
const quiet: Option = { short: "q", summary: "Print no status messages, only errors" };
const reason: Option = { value: "TEXT", summary: "Reason to keep in the task's record" };
const idHelp = describeId("task", "`last` for the newest task, ");
const messageHelp = `MESSAGE is the prompt, or "-" to read it from stdin. If you give a message and also pipe something to stdin,
the agent gets both.`;

export const tasksCommands: readonly Command[] = [
  {
    name: "tasks list",
    positionals: [],
    summary: "List background tasks, newest first (same as `deckhand tasks`)",
    options: {
      limit: { value: "N", summary: `Maximum number of tasks (default ${defaultLimit})` },
      state: { value: "STATE", repeatable: true, summary: `Filter by state (repeatable): ${taskStates.join(", ")}` },
      agent: { value: "NAME", summary: "Filter by agent" },
      running: { summary: "Show only queued and running tasks" },
      ...options,
    },
    examples: ["deckhand tasks", "deckhand tasks list --running", "deckhand tasks list --agent claude --json"],
    run: listTasks,
  },
  {
    name: "tasks start",
    positionals: ["AGENT", "[MESSAGE]"],
    summary: "Start an agent in the background and print the task id",
    details: [
      `AGENT is claude, codex, gemini, opencode, qwen, pi, deckhand, or a name from "agents" in your settings. Run
\`deckhand tasks agents\` to see which are installed. ${messageHelp}`,
      `The task keeps running after this command and all other deckhand processes have exited. Each agent runs up to
limits.max_agents tasks at once; further tasks are queued, and start when there is room and a deckhand process is active.`,
      `Without --follow, only the task id is printed to stdout. With --follow, the exit codes are those of \`tasks follow\`.`,
    ],
    exitCodes: {
      0: "task accepted",
      1: "task could not be started, or failed at once",
      2: "wrong usage, unknown agent, or agent not installed",
    },
    options: {
      model: { short: "m", value: "MODEL", summary: "Model to use, by the name the agent has for it" },
      "system-prompt": {
        value: "TEXT",
        summary: "Text for the system prompt; put before the message if the agent takes none",
      },
      cwd: {
        value: "DIR",
        summary: 'Directory to work in, relative to the workspace (default "."; with --store, the worker\'s)',
      },
      timeout: { value: "SECONDS", summary: "Time limit (default: limits.task_timeout_ms)" },
      arg: {
        value: "ARG",
        repeatable: true,
        summary: "Extra argument for the agent, as in --arg=--verbose (repeatable)",
      },
      resume: { value: "SESSION", summary: "Continue this session of the agent (see `tasks resume`)" },
      key: {
        value: "KEY",
        summary: "Idempotency key: the same request again returns the same task, a different one fails",
      },
      idempotent: { summary: "The task is safe to repeat: start it again if it is lost" },
      "bypass-permissions": {
        summary: "Turn off the agent's own permission checks (needs agents.NAME.allow_bypass)",
      },
      follow,
      quiet,
      ...options,
    },
    examples: [
      `deckhand tasks start claude "fix the failing tests"`,
      `git diff | deckhand tasks start codex "review this" --timeout 600 --follow`,
      `id=$(deckhand tasks start gemini "translate README.md to Korean" --quiet)`,
    ],
    run: startTask,
  },
  {
    name: "tasks show",
    positionals: ["ID"],
    summary: "Show a task and its answer so far",
    details: [idHelp],
    options,
    examples: ["deckhand tasks show last", "deckhand tasks show 4f1a60b2 --json"],
    run: showTask,
  },
  {
    name: "tasks follow",
    positionals: ["ID"],
    summary: "Follow a task until it ends (Ctrl-C leaves it running)",
    details: [
      idHelp,
      `If the agent reports events, its progress is printed to stderr and its answer to stdout at the end. The output of any
other agent is printed as it arrives. With --json, each line is one document: task:progressed, task:output, and at the end
task:settled with the full task.`,
    ],
    exitCodes: {
      0: "completed",
      1: "failed, lost, or no such task",
      69: "the store can't be reached, so the state of the task is unknown",
      124: "time limit exceeded",
      130: "cancelled, or Ctrl-C",
      143: "SIGTERM",
    },
    options: { raw: { summary: "Print the agent's own output, not its progress and answer" }, quiet, ...options },
    examples: ["deckhand tasks follow last", "deckhand tasks follow 4f1a60b2 --json"],
    run: followExistingTask,
  },
  {
    name: "tasks cancel",
    positionals: ["ID…"],
    summary: "Cancel tasks, stop everything they started, and check that it is gone",
    details: [`${idHelp} If one of several IDs can't be resolved, nothing is cancelled.`],
    exitCodes: { 0: "all tasks were cancelled", 1: "no such task, already ended, or not stopped" },
    options: { reason, ...options },
    examples: ["deckhand tasks cancel last", `deckhand tasks cancel 4f1a60b2 91c0ffee --reason "wrong branch"`],
    run: cancelTasks,
  },
  {
    name: "tasks resume",
    positionals: ["ID", "[MESSAGE]"],
    summary: "Continue the session of a task that has ended, as a new task",
    details: [
      `${idHelp} ${messageHelp}`,
      `The new task uses the agent and the options of the old one. Without --follow, only its id is printed to stdout.`,
    ],
    options: { follow, quiet, ...options },
    examples: [`deckhand tasks resume last "now the other file"`, `deckhand tasks resume 4f1a60b2 "continue" --follow`],
    run: resumeTask,
  },
  {
    name: "tasks agents",
    positionals: [],
    summary: "List agents, and how to install those that are missing",
    options,
    examples: ["deckhand tasks agents", "deckhand tasks agents --json"],
    run: listAgents,
  },
];

export interface TasksContext {
  readonly invocation: Invocation;
  readonly terminal: Terminal;
  readonly runtime: Runtime;
  readonly tasks: Tasks;
}

/** Opening the tasks also starts queued ones that have room; closing them leaves running ones alone. */
function withTasks(
  invocation: Invocation,
  terminal: Terminal,
  work: (context: TasksContext) => Promise<number>,
): Promise<number> {
  return withRuntime(invocation, terminal, async (runtime) => {
    // A store that can't be written now is tried again, and the user should know why the command takes long.
    runtime.on("ledger:failed", ({ error }) => terminal.tell(`deckhand: warning: ${error}`));
    return work({ invocation, terminal, runtime, tasks: await runtime.tasks() });
  });
}

/** Throws TASK_UNKNOWN when there is no such task. */
async function findTask({ tasks, runtime }: TasksContext, given: string): Promise<Task> {
  if (given.trim().toLowerCase() === "last") {
    const [newest] = await tasks.list({ limit: 1 });
    if (newest) return newest;
    throw new RuntimeError("TASK_UNKNOWN", messages.noTasksIn(runtime.workdir));
  }
  const task = await findById(given, {
    prefix: "task",
    noun: "task",
    get: (id) => tasks.get(id),
    recentIds: async () => (await tasks.list({ limit: searchedItems })).map(({ id }) => id),
  });
  if (task) return task;
  throw new RuntimeError("TASK_UNKNOWN", messages.notFound(given, runtime.workdir));
}

async function listTasks(invocation: Invocation, terminal: Terminal): Promise<number> {
  const limit = readLimit(invocation.value("limit"), defaultLimit);
  const states = readStates<TaskState>(invocation, { all: taskStates, running: ["queued", "running"] });
  const agent = invocation.value("agent");
  const filter = { ...(states.length > 0 ? { states } : {}), ...(agent === undefined ? {} : { agent }) };
  return withTasks(invocation, terminal, async (context) => {
    const { tasks, runtime } = context;
    const found = await tasks.list({ ...filter, limit });
    // Records that could not be read are not an empty list; a store in memory can always be read.
    const isComplete = runtime.warnings.length === 0 || !tasks.isDurable;
    if (found.length === 0 && agent !== undefined) assertKnownAgent(agent, await tasks.agents());
    if (invocation.has("json")) terminal.printJson(found.map((task) => printableTask(runtime, task)));
    else if (found.length > 0) {
      const masked = found.map((task) => runtime.maskValue(task));
      terminal.print(renderTasks(masked, terminal));
      if (found.length === limit) await reportHidden(context, filter, found);
    } else if (isComplete) {
      const isFiltered = states.length > 0 || agent !== undefined;
      terminal.tell(isFiltered ? messages.noMatches : messages.noTasks);
    }
    return found.length > 0 || isComplete ? exitCode.done : exitCode.failed;
  });
}

/** Tasks can outlive their agent, so only a name without agent and without tasks is a mistake. */
function assertKnownAgent(name: string, agents: readonly AgentInfo[]): void {
  const names = agents.map((agent) => agent.name);
  if (!names.includes(name)) throw new UsageError(messages.unknownAgent(name, suggest(name, names)));
}

/** An old task that still runs must not be missed because newer ones have ended. */
async function reportHidden(
  { tasks, terminal }: TasksContext,
  filter: Omit<TaskQuery, "limit" | "beforeId">,
  shown: readonly Task[],
): Promise<void> {
  const total = await tasks.count(filter);
  if (total <= shown.length) return;
  const states = (filter.states ?? taskStates).filter((state) => !isFinalTask(state));
  const running = states.length === 0 ? 0 : await tasks.count({ ...filter, states });
  const hiddenRunning = running - shown.filter(({ state }) => !isFinalTask(state)).length;
  terminal.tell(messages.showingNewest({ shown: shown.length, total, hiddenRunning }));
}

async function startTask(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [agent, argument] = invocation.positionals as [string, string | undefined];
  // An agent must not turn off another agent's checks.
  if (invocation.has("bypass-permissions")) refuseInsideCall(terminal);
  const timeoutMs = readSeconds(invocation, "timeout");
  const cwd = invocation.value("cwd");
  const message = await readMessage(argument, terminal, messages.startNeedsMessage(agent));
  return withTasks(invocation, terminal, async (context) => {
    assertOutlives(context);
    const requestedAt = Date.now();
    const task = await context.tasks.start({
      agent,
      message,
      systemPrompt: invocation.value("system-prompt") ?? null,
      model: invocation.value("model") ?? null,
      args: invocation.values("arg"),
      resume: invocation.value("resume") ?? null,
      idempotencyKey: invocation.value("key") ?? null,
      isIdempotent: invocation.has("idempotent"),
      bypassesPermissions: invocation.has("bypass-permissions"),
      ...(cwd === undefined ? {} : { cwd }),
      // What a tool call runs is no person's order.
      mayLeaveWorkspace: !isInsideCall(terminal),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      door: "cli",
    });
    return reportStart(context, task, task.createdAt < requestedAt);
  });
}

async function resumeTask(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [given, argument] = invocation.positionals as [string, string | undefined];
  const message = await readMessage(argument, terminal, messages.resumeNeedsMessage(given));
  return withTasks(invocation, terminal, async (context) => {
    assertOutlives(context);
    const { id } = await findTask(context, given);
    return reportStart(context, await context.tasks.resume(id, message, "cli"), false);
  });
}

/** A task in memory ends with this process, so only `--follow` makes sense there. */
function assertOutlives({ tasks, runtime, invocation, terminal }: TasksContext): void {
  if (tasks.isDurable) return;
  if (!invocation.has("follow")) throw new UsageError(messages.endsWithCommand);
  tellWarnings(runtime, terminal);
}

async function reportStart(context: TasksContext, accepted: Task, isOld: boolean): Promise<number> {
  const { invocation, terminal } = context;
  const asJson = invocation.has("json");
  const isQuiet = asJson || invocation.has("quiet");
  if (!asJson && !invocation.has("follow")) terminal.print(`${accepted.id}\n`);
  if (!isQuiet && isOld) terminal.tell(messages.alreadyStarted(accepted));
  if (invocation.has("follow")) {
    if (!isQuiet) terminal.tell(messages.following(accepted));
    return followTask(context, accepted);
  }
  const { task, status } = await waitForStart(context, accepted);
  if (asJson) terminal.printJson(printableTask(context.runtime, task));
  else if (task.state === "failed") terminal.tell(`deckhand: ${messages.failedToStart(task)}`);
  else if (!isQuiet && !isOld) terminal.tell(status);
  return isOld ? exitCode.done : exitCodeOfTask(task.state);
}

/** Until the task was started, or is known to wait; with the sentence that says which. */
async function waitForStart({ tasks }: TasksContext, accepted: Task): Promise<{ task: Task; status: string }> {
  const maxWaitMs = 10_000;
  const pollMs = 50;
  if (!tasks.runsHere) return { task: accepted, status: messages.submitted(accepted) };
  const { agent } = accepted.order;
  const limit = (await tasks.agents()).find(({ name }) => name === agent)?.limit ?? 1;
  const deadline = performance.now() + maxWaitMs;
  for (let task = accepted; ; task = await tasks.wait(accepted.id, pollMs)) {
    if (task.state !== "queued") return { task, status: messages.started(task) };
    const running = await tasks.list({ states: ["running"], agent, limit });
    if (running.length >= limit) return { task, status: messages.queuedAtLimit(task, limit) };
    if (performance.now() > deadline) return { task, status: messages.queued(task) };
  }
}

async function showTask(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withTasks(invocation, terminal, async (context) => {
    const { runtime } = context;
    const task = await findTask(context, invocation.positionals[0]!);
    const { answer, errorText, totalBytes } = await readOutput(context, task);
    if (invocation.has("json")) {
      terminal.printJson({ ...printableTask(runtime, task), output: toWire({ totalBytes, answer, errorText }) });
      return exitCode.done;
    }
    const parts = [renderTask(runtime.maskValue(task), Date.now())];
    if (answer.trim() !== "") parts.push(isFinalTask(task.state) ? answer : `${messages.answerSoFar}\n${answer}`);
    const stderr = task.state === "completed" ? "" : errorText.trim();
    if (stderr !== "") parts.push(`${messages.endOfStderr}\n${stderr}`);
    terminal.print(neutralizeText(`${parts.map((part) => part.trimEnd()).join("\n\n")}\n`));
    return exitCode.done;
  });
}

type Output = Pick<Awaited<ReturnType<Tasks["output"]>>, "answer" | "errorText" | "totalBytes">;

/** The machine that has the output may not respond; the record is shown all the same, with the answer in it. */
async function readOutput({ tasks, terminal, runtime }: TasksContext, { id, result }: Task): Promise<Output> {
  try {
    return await tasks.output(id, { from: -1, limit: 1 });
  } catch (thrown) {
    terminal.tell(`deckhand: warning: ${messages.outputUnreadable(id, messageOf(thrown))}`);
    return { answer: runtime.maskValue(result ?? ""), errorText: "", totalBytes: 0 };
  }
}

function followExistingTask(invocation: Invocation, terminal: Terminal): Promise<number> {
  return reportUnavailable(() =>
    withTasks(invocation, terminal, async (context) =>
      followTask(context, await findTask(context, invocation.positionals[0]!)),
    ),
  );
}

async function cancelTasks(invocation: Invocation, terminal: Terminal): Promise<number> {
  const asJson = invocation.has("json");
  return withTasks(invocation, terminal, async (context) => {
    const found = await findTasks(context);
    if (!asJson) for (const task of found) if (!isFinalTask(task.state)) terminal.tell(messages.stopping(task));
    const cancellations = await Promise.all(found.map((task) => cancelTask(context, task)));
    if (asJson) terminal.printJson(cancellations);
    return cancellations.every(({ cancelled }) => cancelled) ? exitCode.done : exitCode.failed;
  });
}

/** All are looked up before any is cancelled. A task that is named twice is found once. */
async function findTasks(context: TasksContext): Promise<readonly Task[]> {
  const given = context.invocation.positionals;
  const found = new Map<string, Task>();
  try {
    for (const each of given) {
      const task = await findTask(context, each);
      found.set(task.id, task);
    }
  } catch (thrown) {
    if (given.length > 1) context.terminal.tell(messages.nothingCancelled);
    throw thrown;
  }
  return [...found.values()];
}

async function cancelTask(
  { tasks, terminal, invocation, runtime }: TasksContext,
  before: Task,
): Promise<{ readonly id: string; readonly cancelled: boolean; readonly task: object }> {
  const hadEnded = isFinalTask(before.state);
  const task = hadEnded ? before : await tasks.cancel(before.id, invocation.value("reason") ?? messages.cancelReason);
  const cancelled = !hadEnded && task.state === "cancelled";
  if (!invocation.has("json")) {
    if (cancelled) terminal.print(`${messages.cancelled(task)}\n`);
    else if (hadEnded) terminal.tell(`deckhand: ${messages.alreadyEnded(task)}`);
    else terminal.tell(`deckhand: ${(isFinalTask(task.state) ? messages.endedFirst : messages.notStopped)(task)}`);
  }
  return { id: task.id, cancelled, task: printableTask(runtime, task) };
}

async function listAgents(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withTasks(invocation, terminal, async ({ tasks }) => {
    const agents = await tasks.agents();
    if (invocation.has("json")) terminal.printJson(agents.map(agentToWire));
    else terminal.print(renderAgents(agents, terminal, tasks.runsHere ? "INSTALLED" : "ON A WORKER"));
    return exitCode.done;
  });
}
