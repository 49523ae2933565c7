import type { CallOptions, Execution } from "../../../core/call.ts";
import { messageOf } from "../../../core/errors.ts";
import { formatDuration } from "../../../core/time.ts";
import { cleanText } from "../../../guard/terminal-text/clean-text.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import type { StopSignal } from "../../parser/exit-code.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { nameOfSignal, watchSignals } from "../../terminal/watch-signals.ts";
import { showReplay } from "../agent/show-replay.ts";

export interface CallOrder extends CallOptions {
  readonly tool: string;
  readonly inputText: string;
  readonly showsStatus: boolean;
}

export interface CallEnd {
  readonly execution: Execution;
  /** The signal that asked us to stop, if one came. */
  readonly signal: StopSignal | undefined;
  /** Why its processes were not held by a sandbox; null when they were, or when it started none. */
  readonly unheld: string | null;
}

/** Runs one call to its end. A signal cancels it and waits for the proof; then the runtime is closed. */
export async function runCall(runtime: Runtime, terminal: Terminal, order: CallOrder): Promise<CallEnd> {
  const { tool, showsStatus, ...options } = order;
  const stopTelling = runtime.on("ledger:failed", ({ error }) =>
    terminal.tell(`deckhand: warning: the record of this call could not be written: ${error}`),
  );
  const stopNoticing = runtime.on("inbox:added", ({ id, kind }) => {
    const answer = kind === "approval" ? `deckhand inbox approve ${id}` : `deckhand inbox answer ${id} "…"`;
    terminal.tell(`Waiting in the inbox as ${id}; look at it with \`deckhand inbox show ${id}\`, then: ${answer}`);
  });
  const call = runtime.call(tool, undefined, { ...options, door: "cli" });
  const status = showsStatus ? showStatus(runtime, terminal, { id: call.id, tool }) : undefined;
  const watch = watchSignals(terminal, (signal) => {
    status?.stopping();
    // When this fails, the call was over before; its own end says what became of it.
    runtime.cancel(call.id, `Cancelled by ${nameOfSignal(signal)}`).catch(() => undefined);
  });
  try {
    const execution = await call;
    status?.end();
    // Whoever switched it off knows.
    const isUnheld = execution.sandbox?.kind === "none" && runtime.sandboxSetting !== "off";
    const unheld = isUnheld ? await runtime.processes.sandboxProblem() : null;
    await closeRuntime(runtime, terminal);
    return { execution, signal: watch.signal, unheld };
  } finally {
    stopTelling();
    stopNoticing();
    watch.end();
  }
}

/** The call is over: whatever goes wrong now must not take its outcome away. */
async function closeRuntime(runtime: Runtime, terminal: Terminal): Promise<void> {
  try {
    await runtime.close();
  } catch (thrown) {
    terminal.tell(`deckhand: warning: ${messageOf(thrown)}`);
  }
}

export interface Status {
  stopping(): void;
  end(): void;
}

/** A call that is over sooner than this needs no line that flickers. */
const appearsAfterMs = 400;
const redrawMs = 100;

/** One line on stderr that says how long the call has run and what it said last; it disappears at the end. */
function showStatus(
  runtime: Runtime,
  terminal: Terminal,
  call: { readonly id: string; readonly tool: string },
): Status {
  const replay = showReplay(terminal);
  const stopReplay = runtime.on("*", replay.onEvent);
  if (!terminal.showsStatus) return { stopping() {}, end: stopReplay };
  // While it waits for a person there is nothing to count, and the line would cover the question.
  let began = Number.POSITIVE_INFINITY;
  const stopWaiting = runtime.on("execution:started", ({ id }) => {
    if (id === call.id) began = performance.now();
  });
  let verb = call.tool;
  let said = "";
  const stopListening = runtime.on("execution:progressed", ({ id, progress }) => {
    if (id === call.id) said = lastLine(progress.output ?? "") || progress.message || said;
  });
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - began;
    if (!(elapsedMs >= appearsAfterMs)) return;
    const elapsed = formatDuration(Math.floor(elapsedMs / 1000) * 1000 || elapsedMs);
    terminal.status([`${verb} ${elapsed}`, said].filter(Boolean).join(" · "));
  }, redrawMs);
  timer.unref();
  return {
    stopping() {
      verb = `stopping ${call.tool}`;
    },
    end() {
      clearInterval(timer);
      stopListening();
      stopWaiting();
      stopReplay();
      terminal.status(null);
    },
  };
}

/** The last line that says something. Output may be large: only its end is looked at. */
function lastLine(output: string): string {
  return (
    cleanText(output.slice(-1000))
      .split("\n")
      .findLast((line) => line.trim() !== "")
      ?.trim() ?? ""
  );
}
