import { utimesSync, writeFileSync } from "node:fs";
import * as util from "node:util";
import type { Clock } from "../../core/clock.ts";

export interface Heartbeat {
  ready(): void;
  end(): void;
}

/** How often a child shows that its event loop turns, unless its watchdog wants it more often. */
export const usualBeatMs = 2000;
/** Missing before Node 24.6. */
const traceSigInt = (util as Partial<typeof util>).setTraceSigInt;

/**
 * The child's side: touches the file every so often, by a timer of the event loop that is to be watched. Where nobody
 * else listens to SIGINT, that signal makes Node print the stack of what runs, even of a loop without end, and end: the
 * watchdog asks for it when the beats stop.
 *
 * Until `ready` the beats say that the child is still starting: however long that takes, it does not hang.
 */
export function startHeartbeat(path: string, clock: Clock, beatMs = usualBeatMs): Heartbeat {
  let written = "";
  let isReady = false;
  let cancel: (() => void) | undefined;

  function beat(): void {
    cancel = clock.after(beatMs, beat);
    const stackSignal = tracesStack() ? "SIGINT" : null;
    const text = JSON.stringify({
      pid: process.pid,
      stack_signal: stackSignal,
      ...(isReady ? {} : { starting: true }),
    });
    try {
      const time = clock.now() / 1000;
      if (text === written) utimesSync(path, time, time);
      else writeFileSync(path, text, { mode: 0o600 });
      written = text;
    } catch {
      written = ""; // the next beat makes the file anew; if none can, the watchdog sees a hang, and says so
    }
  }

  traceSigInt?.(true);
  beat();
  return {
    ready() {
      isReady = true;
      cancel?.();
      beat();
    },
    end() {
      cancel?.();
      traceSigInt?.(false);
    },
  };
}

function tracesStack(): boolean {
  return traceSigInt !== undefined && process.listenerCount("SIGINT") === 0;
}
