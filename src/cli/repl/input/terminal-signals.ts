import type { Clock } from "../../../core/clock.ts";

export interface TerminalSignals {
  /** What Ctrl-Z means: the shell gets the terminal until `fg`. */
  suspend(): void;
  end(): void;
}

export interface SignalParts {
  readonly program: NodeJS.Process;
  readonly clock: Clock;
  /** Gives the terminal back as it was. */
  readonly release: () => void;
  /** Takes it again, and draws. */
  readonly hold: () => void;
}

const fatal = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A stop that the system ignores (nobody could continue us) is over at once. */
const ignoredStopMs = 500;

/** The terminal is given back before a signal ends or stops the program, and taken again when it goes on. */
export function watchTerminalSignals({ program, clock, release, hold }: SignalParts): TerminalSignals {
  let stopTimer = (): void => undefined;

  function onFatal(signal: NodeJS.Signals): void {
    const isOurs = program.listenerCount(signal) === 1;
    // Where others listen, SIGINT is a request like Ctrl-C and the program goes on.
    if (isOurs || signal !== "SIGINT") release();
    // They decide what the signal means. Without them it means what it always does.
    if (!isOurs) return;
    end();
    program.kill(program.pid, signal);
  }

  function onStop(): void {
    release();
    program.off("SIGTSTP", onStop);
    program.kill(program.pid, "SIGTSTP");
    stopTimer = clock.after(ignoredStopMs, goOn);
  }

  function goOn(): void {
    stopTimer();
    if (!program.listeners("SIGTSTP").includes(onStop)) program.on("SIGTSTP", onStop);
    hold();
  }

  function end(): void {
    stopTimer();
    for (const signal of fatal) program.off(signal, onFatal);
    program.off("SIGTSTP", onStop);
    program.off("SIGCONT", goOn);
  }

  for (const signal of fatal) program.on(signal, onFatal);
  program.on("SIGTSTP", onStop);
  program.on("SIGCONT", goOn);
  return {
    // The whole group, as the terminal itself would: whoever started us (npm, a pipe) is to stop too.
    suspend: () => void program.kill(0, "SIGTSTP"),
    end,
  };
}
