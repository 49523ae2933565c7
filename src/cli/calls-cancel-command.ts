import { setTimeout as sleep } from "node:timers/promises";
import { isFinal, type Execution } from "../core/execution.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import type { Invocation } from "./command.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { exitCode } from "./exit-code.ts";
import { findExecution } from "./find-execution.ts";
import { withRuntime } from "./open-runtime.ts";
import { printableExecution } from "../runtime/views/execution-view.ts";
import { neutralizeText } from "./terminal-text.ts";
import type { Terminal } from "./terminal.ts";

/** Longer than stopping takes at worst: noticing, asking, killing, checking. */
const patienceMs = 15_000;
const pollMs = 100;
const askAgainMs = 2000;

/** `deckhand calls cancel ID` */
export async function runCallsCancel(invocation: Invocation, terminal: Terminal): Promise<number> {
  const given = invocation.positionals[0]!;
  const asJson = invocation.has("json");
  return withRuntime(invocation, terminal, async (runtime) => {
    const found = await findExecution(runtime, given);
    const reason = reasonOf(invocation);
    const underWay = found !== undefined && (await runtime.cancel(found.id, reason));
    if (underWay && !asJson) terminal.tell(`Stopping ${found.id} (${found.toolName}${placeOf(found)}) …`);
    if (underWay) await waitUntilFinal(runtime, found.id, reason);

    const execution = found && ((await runtime.get(found.id)) ?? found);
    const stopped = underWay && execution !== undefined && isFinal(execution.state);
    if (asJson) {
      const record = execution ? printableExecution(execution) : null;
      terminal.printJson({ id: execution?.id ?? given, cancelled: underWay, execution: record });
    } else if (stopped) terminal.print(neutralizeText(tellEnd(execution)));
    else if (execution !== undefined || runtime.warnings.length === 0)
      terminal.tell(`deckhand: ${tellWhyNot(given, execution, runtime.workdir)}`);
    return stopped ? exitCode.done : exitCode.failed;
  });
}

function reasonOf(invocation: Invocation): string {
  const given = invocation.value("reason");
  return given === undefined ? "Cancelled by deckhand calls cancel" : `Cancelled: ${given}`;
}

function placeOf({ owner }: Execution): string {
  return owner ? `, in process ${owner.pid}` : "";
}

async function waitUntilFinal(runtime: Runtime, id: string, reason: string): Promise<void> {
  const began = performance.now();
  let askedAt = began;
  while (performance.now() - began < patienceMs) {
    const execution = await runtime.get(id);
    if (!execution || isFinal(execution.state)) return;
    await sleep(pollMs);
    if (performance.now() - askedAt < askAgainMs) continue;
    // The process that should stop it may have died meanwhile; then asking again ends the call.
    askedAt = performance.now();
    await runtime.cancel(id, reason);
  }
}

function tellEnd(execution: Execution): string {
  const { id, state } = execution;
  const { error, remarks } = describeOutcome(execution);
  const first = state === "cancelled" ? `${id} is cancelled.` : `${id} ended as ${state} before it could be cancelled.`;
  return `${[first, ...(error !== undefined && state !== "cancelled" ? [error] : []), ...remarks].join("\n")}\n`;
}

function tellWhyNot(given: string, execution: Execution | undefined, workdir: string): string {
  if (!execution) return `There is no call "${given}" in ${workdir}. See deckhand calls.`;
  if (!isFinal(execution.state)) {
    return `${execution.id} was told to stop, but has not ended within ${patienceMs / 1000} s; see deckhand calls show.`;
  }
  const why = execution.error === null ? "" : `: ${execution.error}`;
  return `${execution.id} is already over (${execution.state}${why}), so there is nothing to cancel.`;
}
