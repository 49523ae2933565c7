import { codeOfSignal, type StopSignal } from "../parser/exit-code.ts";
import type { Terminal } from "./terminal.ts";

export interface SignalWatch {
  /** The first signal that came. */
  readonly signal: StopSignal | undefined;
  end(): void;
}

/**
 * Turns Ctrl-C, SIGTERM and a closed terminal into a cancel:
 * - the first signal calls `stop` and waits for the proof
 * - the second says that it is still stopping
 * - the third leaves at once, without the proof
 */
export function watchSignals(
  terminal: Terminal,
  stop: (signal: StopSignal) => void,
  signals: readonly StopSignal[] = allSignals,
): SignalWatch {
  const listeners = signals.map((signal) => [signal, () => receive(signal)] as const);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  let first: StopSignal | undefined;
  let received = 0;

  function receive(signal: StopSignal): void {
    received += 1;
    first ??= signal;
    if (received === 1) stop(signal);
    else if (received === 2) terminal.tell(stillStopping);
    else {
      terminal.status(null);
      terminal.tell(
        "Left without waiting for the proof: the next deckhand command here ends what is left of the call.",
      );
      process.exit(codeOfSignal[signal]);
    }
  }

  return {
    get signal() {
      return first;
    },
    end() {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}

const allSignals = Object.keys(codeOfSignal) as StopSignal[];
const stillStopping =
  "Still stopping: asking the processes to end, then killing them, then checking that none is left; this can take up to 15 s. Once more leaves at once, without that proof.";

export function nameOfSignal(signal: StopSignal): string {
  return signal === "SIGINT" ? "Ctrl-C" : signal;
}
