import { setTimeout as sleep } from "node:timers/promises";
import { clipText } from "../../core/text.ts";
import { executionStates, isFinal, type Execution, type ExecutionState } from "../../core/call.ts";
import { formatAge, formatDuration } from "../../core/time.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import { printableExecution } from "../../runtime/views/call-view.ts";
import { type Command, commonOptions, type Invocation, readLimit, readStates, UsageError } from "../parser/command.ts";
import { describeOutcome, statePhrases } from "../describe-outcome.ts";
import { exitCode } from "../parser/exit-code.ts";
import { describeId, findById, searchedItems } from "../find-by-id.ts";
import { withRuntime } from "../open-runtime.ts";
import { renderRecord, renderTable, stateColors } from "../terminal/table.ts";
import { neutralizeText } from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

const defaultLimit = 10;
/** Longer than stopping takes at worst: the request is noticed, processes are asked to end, killed, and checked. */
const cancelTimeoutMs = 15_000;
const idHelp = describeId("call", '"last" for the newest call, ');

export const callsCommands: readonly Command[] = [
  {
    name: "calls list",
    positionals: [],
    summary: "List calls, newest first (same as `deckhand calls`)",
    options: {
      limit: { value: "N", summary: `Maximum number of calls (default ${defaultLimit})` },
      state: {
        value: "STATE",
        repeatable: true,
        summary: `Filter by state (repeatable): ${executionStates.join(", ")}`,
      },
      tool: { value: "NAME", summary: "Filter by tool" },
      running: { summary: "Show only pending and running calls, in any process" },
      ...commonOptions,
    },
    examples: ["deckhand calls", "deckhand calls list --state failed --state timeout --limit 50"],
    run: listCalls,
  },
  {
    name: "calls show",
    positionals: ["ID"],
    summary: "Show the full record of a call",
    details: [idHelp],
    options: commonOptions,
    examples: [
      "deckhand calls show call_0190a6b2-7c1e-7a41-9d3f-5b2c8e4f1a60",
      "deckhand calls show 1a60",
      "deckhand calls show last",
    ],
    run: showCall,
  },
  {
    name: "calls cancel",
    positionals: ["ID"],
    summary: "Cancel a pending or running call, in any process, and wait until it has stopped",
    details: [idHelp],
    exitCodes: {
      0: "the call was pending or running, and has ended",
      1: `no such call, already ended, or not stopped within ${cancelTimeoutMs / 1000} s`,
    },
    options: {
      reason: { value: "TEXT", summary: "Reason to keep in the call's record" },
      ...commonOptions,
    },
    examples: [`deckhand calls cancel 1a60 --reason "wrong branch"`],
    run: cancelCall,
  },
];

/** Every other sentence of this area. */
const messages = {
  noCalls: "No calls recorded in this workspace.",
  noMatches: "No calls match these filters.",
  unknownTool(name: string, similar: readonly string[]) {
    const hint = similar.length > 0 ? ` Did you mean ${similar.map((each) => `"${each}"`).join(" or ")}?` : "";
    return `Unknown tool "${name}".${hint}`;
  },
  notFound: (given: string, workdir: string) =>
    `No call found for "${given}" in ${workdir}. Run \`deckhand calls\` to list calls.`,
  cancelReason: (given: string | undefined) =>
    given === undefined ? "Cancelled with deckhand calls cancel" : `Cancelled: ${given}`,
  stopping: ({ id, toolName, owner }: Execution) =>
    `Stopping ${id} (${toolName}${owner ? `, process ${owner.pid}` : ""})…`,
  cancelled: ({ id }: Execution) => `${id} cancelled.`,
  endedFirst: ({ id, state }: Execution) => `${id} ${statePhrases[state]} before it could be cancelled.`,
  alreadyEnded: ({ id, state, error }: Execution) =>
    `Nothing to cancel: ${id} has already ended (${state}).${error === null ? "" : ` ${error}`}`,
  notStopped: ({ id }: Execution) =>
    `${id} has not stopped within ${cancelTimeoutMs / 1000} s. Run \`deckhand calls show ${id.slice(-8)}\` to check on it.`,
};

async function listCalls(invocation: Invocation, terminal: Terminal): Promise<number> {
  const limit = readLimit(invocation.value("limit"), defaultLimit);
  const states = readStates<ExecutionState>(invocation, { all: executionStates, running: ["pending", "running"] });
  const tool = invocation.value("tool");
  return withRuntime(invocation, terminal, async (runtime) => {
    const toolId = tool === undefined ? undefined : (runtime.tools.canonicalName(tool) ?? tool);
    const calls = await runtime.list({
      limit,
      ...(states.length > 0 ? { states } : {}),
      ...(toolId === undefined ? {} : { toolId }),
    });
    // A history that could not be read is not an empty one.
    const isComplete = runtime.warnings.length === 0;
    if (calls.length === 0 && toolId !== undefined && isComplete) assertKnownTool(runtime, toolId);
    if (invocation.has("json")) terminal.printJson(calls.map(printableExecution));
    else if (calls.length > 0) terminal.print(renderCalls(calls, terminal));
    else if (isComplete) {
      const isFiltered = states.length > 0 || toolId !== undefined;
      terminal.tell(isFiltered ? messages.noMatches : messages.noCalls);
    }
    return isComplete ? exitCode.done : exitCode.failed;
  });
}

/** Calls can outlive their tool, so only a name without tool and without calls is a mistake. */
function assertKnownTool({ tools }: Runtime, toolId: string): void {
  if (tools.canonicalName(toolId) === undefined) {
    throw new UsageError(messages.unknownTool(toolId, tools.suggest(toolId)));
  }
}

async function showCall(invocation: Invocation, terminal: Terminal): Promise<number> {
  const given = invocation.positionals[0]!;
  return withRuntime(invocation, terminal, async (runtime) => {
    const call = await findCall(runtime, given);
    if (!call) {
      // Records that could not be read may have held the call.
      if (runtime.warnings.length === 0) terminal.tell(`deckhand: ${messages.notFound(given, runtime.workdir)}`);
      return exitCode.failed;
    }
    if (invocation.has("json")) terminal.printJson(printableExecution(call));
    else terminal.print(neutralizeText(renderCall(call, Date.now())));
    return exitCode.done;
  });
}

async function cancelCall(invocation: Invocation, terminal: Terminal): Promise<number> {
  const given = invocation.positionals[0]!;
  const reason = messages.cancelReason(invocation.value("reason"));
  const asJson = invocation.has("json");
  return withRuntime(invocation, terminal, async (runtime) => {
    const found = await findCall(runtime, given);
    const wasRunning = found !== undefined && (await runtime.cancel(found.id, reason));
    if (wasRunning) {
      if (!asJson) terminal.tell(messages.stopping(found));
      await waitForEnd(runtime, found.id, reason);
    }
    const call = found && ((await runtime.get(found.id)) ?? found);
    const isStopped = wasRunning && call !== undefined && isFinal(call.state);
    if (asJson) {
      const execution = call ? printableExecution(call) : null;
      terminal.printJson({ id: call?.id ?? given, cancelled: wasRunning, execution });
    } else if (isStopped) terminal.print(neutralizeText(describeEnd(call)));
    else if (call)
      terminal.tell(`deckhand: ${(isFinal(call.state) ? messages.alreadyEnded : messages.notStopped)(call)}`);
    else if (runtime.warnings.length === 0) terminal.tell(`deckhand: ${messages.notFound(given, runtime.workdir)}`);
    return isStopped ? exitCode.done : exitCode.failed;
  });
}

async function waitForEnd(runtime: Runtime, id: string, reason: string): Promise<void> {
  const pollMs = 100;
  const askAgainMs = 2000;
  const startedAt = performance.now();
  let askedAt = startedAt;
  while (performance.now() - startedAt < cancelTimeoutMs) {
    const call = await runtime.get(id);
    if (!call || isFinal(call.state)) return;
    await sleep(pollMs);
    if (performance.now() - askedAt < askAgainMs) continue;
    // The process that should stop the call may have died meanwhile; then asking again ends the call.
    askedAt = performance.now();
    await runtime.cancel(id, reason);
  }
}

function describeEnd(call: Execution): string {
  const { error, remarks } = describeOutcome(call);
  const lines =
    call.state === "cancelled" ? [messages.cancelled(call)] : [messages.endedFirst(call), ...(error ? [error] : [])];
  return `${[...lines, ...remarks].join("\n")}\n`;
}

async function findCall(runtime: Runtime, given: string): Promise<Execution | undefined> {
  if (given.trim().toLowerCase() === "last") return (await runtime.list({ limit: 1 }))[0];
  return findById(given, {
    prefix: "call",
    noun: "call",
    get: (id) => runtime.get(id),
    recentIds: () => listRecentIds(runtime),
  });
}

/** In pages: records can be large. */
async function listRecentIds(runtime: Runtime): Promise<string[]> {
  const pageSize = 100;
  const ids: string[] = [];
  while (ids.length < searchedItems) {
    const beforeId = ids.at(-1);
    const page = await runtime.list({ limit: pageSize, ...(beforeId === undefined ? {} : { beforeId }) });
    ids.push(...page.map(({ id }) => id));
    if (page.length < pageSize) break;
  }
  return ids;
}

function renderCalls(calls: readonly Execution[], terminal: Terminal): string {
  const now = Date.now();
  return renderTable({
    columns: [
      { title: "ID" },
      { title: "TOOL" },
      { title: "STATE" },
      { title: "AGE", align: "right" },
      { title: "ELAPSED", align: "right" },
      { title: "SUMMARY" },
    ],
    rows: calls.map((call) => [
      call.id,
      call.toolId ?? call.toolName,
      call.state,
      formatAge(now - call.createdAt),
      formatElapsed(call, now),
      summarizeCall(call),
    ]),
    width: terminal.width,
    style: (cell, column) => (column === 2 ? terminal.style(stateColors[cell as ExecutionState], cell) : cell),
  });
}

/** The input and, unless the call completed, the error; in one line. */
function summarizeCall({ toolInput, state, error }: Execution): string {
  /** Longer than any terminal is wide; for lists that are not printed on one. */
  const maxCharacters = 200;
  const input = clipText(summarizeInput(toolInput), maxCharacters);
  if (state === "completed" || error === null) return input;
  return [input, clipText(error, maxCharacters)].filter(Boolean).join(" → ");
}

/** The most telling value (a command, a path, a pattern), otherwise the JSON. */
function summarizeInput(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return JSON.stringify(input) ?? "";
  if (Object.keys(input).length === 0) return "";
  const values = input as Record<string, unknown>;
  const key = summaryKeys.find((each) => typeof values[each] === "string");
  return key === undefined ? JSON.stringify(input) : String(values[key]);
}

const summaryKeys = ["command", "file_path", "pattern", "code", "path", "url", "query", "question", "message"];

/** How long the call took, or has taken so far. */
function formatElapsed({ durationMs, startedAt, state }: Execution, now: number): string {
  if (durationMs !== null) return formatDuration(durationMs);
  if (startedAt === null || isFinal(state)) return "";
  return formatDuration(Math.max(0, now - startedAt));
}

function renderCall(call: Execution, now: number): string {
  const { result } = call;
  const { error, remarks } = describeOutcome(call);
  const record = renderRecord(call.id, [
    ["state", formatState(call, now)],
    ["tool", formatTool(call)],
    ["input", JSON.stringify(call.toolInput)],
    ["error", isFinal(call.state) ? error : null],
    ["error type", call.errorType],
    ["notes", remarks.join("\n")],
    ["created", formatTime(call.createdAt)],
    ["started", formatTime(call.startedAt)],
    ["ended", formatTime(call.completedAt)],
    ["time limit", formatLimits(call)],
    ["attempt", call.attempt > 1 ? String(call.attempt) : null],
    ["started from", call.door],
    ["session", call.conversationId],
    ["part of", call.batchId ?? call.parentId],
    ["stopped by", call.stopCause && `${call.stopCause} (proof: ${call.stopProof ?? "not needed"})`],
    ["permission", formatPermission(call)],
    ["sandbox", formatSandbox(call)],
    ["process", call.owner && String(call.owner.pid)],
    ["output", result?.output ? `${call.outputBytes} bytes` : null],
  ]);
  return result?.output ? `${record}\n${result.output.trimEnd()}\n` : record;
}

function formatState(call: Execution, now: number): string {
  const elapsed = formatElapsed(call, now);
  const phase = call.runPhase === "not_started" && isFinal(call.state) ? ", not started" : "";
  return `${call.state}${phase}${elapsed && ` (${isFinal(call.state) ? "" : "for "}${elapsed})`}`;
}

function formatTool({ toolName, toolId, version }: Execution): string {
  const name = toolId ?? `${toolName} (unknown)`;
  const requested = toolId !== null && toolId !== toolName ? ` (requested as ${toolName})` : "";
  return `${name}${requested}${version === null || version === "builtin" ? "" : `, version ${version}`}`;
}

function formatLimits({ timeoutMs, idleMs }: Execution): string | null {
  if (timeoutMs === null) return null;
  return `${formatDuration(timeoutMs)}${idleMs === null ? "" : `, ${formatDuration(idleMs)} without activity`}`;
}

function formatTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function formatPermission({ permission }: Execution): string | null {
  if (!permission) return null;
  const { decision, by, rule, who, dangers } = permission;
  const details = [rule && `rule ${rule}`, who && `by ${who}`, dangers.length > 0 && `danger: ${dangers.join(", ")}`];
  return [`${decision} (${by})`, ...details.filter(Boolean)].join(", ");
}

function formatSandbox({ sandbox }: Execution): string | null {
  if (!sandbox) return null;
  if (sandbox.kind === "none") return "none";
  return `${sandbox.kind}, ${sandbox.profile ?? ""}, network ${sandbox.network ? "on" : "off"}`;
}
