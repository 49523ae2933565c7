// The watchdog as a program of its own, so that it loads nothing else. It takes the place of the command that checked its
// settings (`exec-watchdog.ts`): same pid, same terminal, but none of that one's memory.
import { systemClock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import { toWire } from "../core/wire.ts";
import { describeWatchdogEvent } from "./describe-event.ts";
import { readHandover } from "./restart-handoff.ts";
import { runWatchdog } from "./run-watchdog.ts";
import type { WatchdogEvent } from "./watchdog-events.ts";

const { settings, asJson, env } = readHandover(process.env);
// A reader that left is no reason to end, and neither is Node's debugger for every program on this machine one to begin.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
// What these tell of is not here: they would end the watchdog alone, and leave the command to nobody.
for (const signal of ["SIGUSR1", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGPIPE", "SIGIO", "SIGXFSZ"] as const) {
  process.on(signal, () => undefined);
}

try {
  process.exitCode = await runWatchdog(settings, { clock: systemClock, random: Math.random, env, emit, onSignal });
} catch (thrown) {
  tell(messageOf(thrown));
  process.exitCode = 2;
}
// What outlives the child may still hold its output open; nobody waits for that.
setTimeout(() => process.exit(), 200).unref();

function emit(event: WatchdogEvent): void {
  if (asJson) process.stdout.write(`${JSON.stringify(toWire(event))}\n`);
  if (!asJson || event.type === "watchdog:refused") tell(describeWatchdogEvent(event));
}

function tell(sentence: string): void {
  // oxlint-disable-next-line no-control-regex -- a path may hold what a terminal would obey
  process.stderr.write(`deckhand: ${sentence.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "?")}\n`);
}

function onSignal(receive: (signal: NodeJS.Signals) => void): () => void {
  const signals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGPWR", "SIGUSR2"] as const;
  for (const signal of signals) process.on(signal, receive);
  return () => {
    for (const signal of signals) process.off(signal, receive);
  };
}
