import { executionStates, type Execution, type ExecutionState } from "../core/execution.ts";
import { nearest } from "../core/nearest.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import { UsageError, type Invocation } from "./command.ts";
import { durationOf, summarizeExecution } from "./describe-execution.ts";
import { exitCode } from "./exit-code.ts";
import { formatAge } from "../core/format-time.ts";
import { withRuntime } from "./open-runtime.ts";
import { printableExecution } from "../runtime/views/execution-view.ts";
import { readLimit } from "./read-limit.ts";
import { renderTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const defaultLimit = 10;

/** `deckhand calls [list]` */
export async function runCallsList(invocation: Invocation, terminal: Terminal): Promise<number> {
  const limit = readLimit(invocation.value("limit"), defaultLimit);
  const states = readStates(invocation);
  return withRuntime(invocation, terminal, async (runtime) => {
    const toolId = toolIdOf(runtime, invocation.value("tool"));
    const executions = await runtime.list({
      limit,
      ...(states.length > 0 ? { states } : {}),
      ...(toolId === undefined ? {} : { toolId }),
    });
    // A history that could not be read is not an empty one.
    const isWhole = runtime.warnings.length === 0;
    if (executions.length === 0 && toolId !== undefined && isWhole) assertKnown(runtime, toolId);
    if (invocation.has("json")) terminal.printJson(executions.map(printableExecution));
    else if (executions.length > 0) terminal.print(renderCalls(executions, terminal));
    else if (isWhole) terminal.tell(isFiltered(invocation) ? "No such calls here." : "No calls here yet.");
    return isWhole ? exitCode.done : exitCode.failed;
  });
}

function renderCalls(executions: readonly Execution[], terminal: Terminal): string {
  const now = Date.now();
  return renderTable({
    columns: [
      { title: "ID" },
      { title: "TOOL" },
      { title: "STATE" },
      { title: "AGE", align: "right" },
      { title: "TOOK", align: "right" },
      { title: "WHAT" },
    ],
    rows: executions.map((execution) => [
      execution.id,
      execution.toolId ?? execution.toolName,
      execution.state,
      formatAge(now - execution.createdAt),
      durationOf(execution, now),
      summarizeExecution(execution),
    ]),
    width: terminal.width,
    style: (cell, column) => (column === 2 ? terminal.style(colors[cell as ExecutionState], cell) : cell),
  });
}

const colors = {
  pending: "cyan",
  running: "cyan",
  completed: "green",
  failed: "red",
  cancelled: "yellow",
  timeout: "red",
} as const;

function readStates(invocation: Invocation): ExecutionState[] {
  const given = invocation.values("state").flatMap((value) => value.split(","));
  const states = given.map((value) => {
    const state = executionStates.find((each) => each === value.trim().toLowerCase());
    if (state) return state;
    const [meant] = nearest(value, executionStates, 1);
    const hint = meant === undefined ? `There are: ${executionStates.join(", ")}.` : `Did you mean ${meant}?`;
    throw new UsageError(`"${value}" is not a state of a call. ${hint}`);
  });
  if (!invocation.has("running")) return states;
  if (states.length > 0) throw new UsageError("--running and --state say two different things: leave one of them out.");
  return ["pending", "running"];
}

function toolIdOf({ tools }: Runtime, given: string | undefined): string | undefined {
  return given === undefined ? undefined : (tools.canonicalName(given) ?? given);
}

/** A tool may be gone and its calls still be here; a name without tool and calls is a mistake. */
function assertKnown({ tools }: Runtime, toolId: string): void {
  if (tools.canonicalName(toolId) !== undefined) return;
  const meant = tools.suggest(toolId).join(" or ");
  throw new UsageError(`There is no tool named "${toolId}".${meant ? ` Did you mean ${meant}?` : ""}`);
}

function isFiltered(invocation: Invocation): boolean {
  return ["state", "tool", "running"].some((option) => invocation.has(option));
}
