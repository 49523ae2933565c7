import type { Runtime } from "../../../runtime/create-runtime.ts";
import { cleanText } from "../../../guard/terminal-text/clean-text.ts";
import { formatDuration } from "../../../core/format-time.ts";
import { showReplay } from "../agent/show-replay.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export interface Status {
  stopping(): void;
  end(): void;
}

/** A call that is over sooner than this needs no line that flickers. */
const appearsAfterMs = 400;
const redrawMs = 100;

/** One line on stderr that says how long the call has run and what it said last; it disappears at the end. */
export function showStatus(
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
