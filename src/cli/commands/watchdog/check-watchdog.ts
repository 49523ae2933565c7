import { codeOf, messageOf } from "../../../core/errors.ts";
import type { Check } from "../../../doctor/diagnose.ts";
import { viewWatchdog, type WatchdogView } from "../../../watchdog/view-watchdog.ts";
import type { Invocation } from "../../parser/command.ts";
import { describeWatchdog } from "./describe-watchdog.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { locateWatchdog } from "./watchdog-place.ts";

/** What the doctor says of the watchdog: a row only where one runs, or should. */
export function checkWatchdog(invocation: Invocation, env: Terminal["env"]): Check[] {
  try {
    return describe(viewWatchdog(locateWatchdog(invocation, env).settings));
  } catch (thrown) {
    // That has a row of its own.
    if (codeOf(thrown) === "WORKDIR_INVALID") return [];
    return [{ name: "watchdog", state: "problem", what: messageOf(thrown), fix: "Correct that and ask again." }];
  }
}

function describe(view: WatchdogView): Check[] {
  const what = describeWatchdog(view, Date.now()).replaceAll("\n", " ");
  const row = (state: Check["state"], fix: string | null): Check[] => [{ name: "watchdog", state, what, fix }];
  switch (view.state) {
    case "none":
    case "stopped":
      return [];
    case "failed":
      return row("problem", "See .deckhand/logs/watchdog.log for what crashed, then start it again.");
    case "dead":
      return row("warning", "Start it again: deckhand serve --watchdog.");
    // It may go on like this for ever.
    case "waiting":
      return row("warning", "See .deckhand/logs/watchdog.log for what crashed.");
    case "running":
      if (!view.safeMode) return row("ok", null);
      return row("warning", "Mend what crashed (see .deckhand/logs/watchdog.log), then stop it and start it again.");
  }
}
