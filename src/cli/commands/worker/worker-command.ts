import type { Invocation } from "../../parser/command.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import { openRuntime, tellWarnings } from "../../open-runtime.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { watchSignals } from "../../terminal/watch-signals.ts";

/** `deckhand worker`: until somebody stops it. */
export async function runWorker(invocation: Invocation, terminal: Terminal): Promise<number> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const leaving = new AbortController();
  const watch = watchSignals(terminal, () => {
    leaving.abort();
    stop();
  });
  try {
    const runtime = await openRuntime(invocation, terminal);
    try {
      tellWarnings(runtime, terminal);
      const isJson = invocation.has("json");
      const off = [
        runtime.on("task:started", ({ id, agent }) =>
          tell({ type: "task:started", id, agent }, `${id} ${agent} started`),
        ),
        runtime.on("task:settled", ({ id, agent, state, error }) =>
          tell(
            { type: "task:settled", id, agent, state, error },
            `${id} ${agent} ${state}${error ? `: ${error}` : ""}`,
          ),
        ),
        runtime.on("ledger:failed", ({ error }) => terminal.tell(`deckhand: warning: ${error}`)),
      ];
      let waitsFor = "";
      const onWait = (reason: string): void => {
        if (reason !== waitsFor)
          tell({ type: "worker:waiting", reason }, `${reason} Trying again until it answers; press Ctrl-C to leave.`);
        waitsFor = reason;
      };
      const machineName = invocation.value("machine") ?? null;
      const opening = runtime.openWorker({ machine: machineName, waiting: { signal: leaving.signal, onWait } });
      // A signal while it waits is no failure.
      const worker = await opening.catch((thrown: unknown) => {
        if (!watch.signal) throw thrown;
      });
      if (!worker) return codeOfSignal[watch.signal!];
      const { machine, scope, agents } = worker;
      const able = agents.length === 0 ? "no agents found: install one" : agents.join(", ");
      tell(
        { type: "worker:ready", machine, scope, agents },
        `Machine ${machine} serves the project ${scope} (${able}). Press Ctrl-C to leave.`,
      );
      await stopped;
      await worker.stop();
      for (const end of off) end();

      function tell(event: object, sentence: string): void {
        if (isJson) terminal.printJsonLine(event);
        else terminal.tell(sentence);
      }
    } finally {
      await runtime.close();
    }
    return watch.signal ? codeOfSignal[watch.signal] : exitCode.done;
  } finally {
    watch.end();
  }
}
