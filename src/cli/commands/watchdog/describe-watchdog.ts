import { endOf } from "../../../watchdog/describe-event.ts";
import type { WatchdogView } from "../../../watchdog/view-watchdog.ts";
import { formatAge, formatDuration } from "../../../core/time.ts";

/** What a person wants to know of the watchdog, one fact a line. */
export function describeWatchdog(view: WatchdogView, now: number): string {
  const lines = [stateLine(view, now)];
  if (view.state !== "none") lines.push(`Restarts: ${view.restarts}${view.safeMode ? ", in safe mode" : ""}.`);
  const { lastCrash } = view;
  if (lastCrash) {
    const { at, uptimeMs, cause, hang } = lastCrash;
    const how = cause === "hang" ? `it hung (${hang ?? "why is not known"})` : `it ended with ${endOf(lastCrash)}`;
    lines.push(`Last crash: ${agoOf(now - at)}, after ${formatDuration(uptimeMs)}: ${how}.`);
  }
  return lines.join("\n");
}

function stateLine({ state, pid, childPid, nextStartAt, reason }: WatchdogView, now: number): string {
  const because = reason === null ? "" : `: ${reason}`;
  switch (state) {
    case "none":
      return "No watchdog has run here.";
    case "dead":
      return childPid === null
        ? "The watchdog was killed, and does not run; neither does what it watched."
        : `The watchdog was killed, and does not run; what it watched, process ${childPid}, goes on, and the next watchdog ends it.`;
    case "running":
      return `The watchdog (process ${pid}) watches process ${childPid}.`;
    case "waiting": {
      const when = nextStartAt === null ? "soon" : `in ${formatDuration(Math.max(0, nextStartAt - now))}`;
      return `The watchdog (process ${pid}) starts it again ${when}${because}.`;
    }
    case "failed":
      return `The watchdog gave up${because}.`;
    case "stopped":
      return `The watchdog does not run; it was stopped${because}.`;
  }
}

function agoOf(ageMs: number): string {
  return ageMs < 1000 ? "just now" : `${formatAge(ageMs)} ago`;
}
