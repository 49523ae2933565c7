import type { RuntimeEvent } from "../../../core/events.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export interface ReplayStatus {
  readonly onEvent: (event: RuntimeEvent) => void;
  end(): void;
}

/**
 * One line on stderr while the first call waits for what is tried on a new version of a tool. On a terminal it counts, and
 * disappears at the end; anywhere else it is told once, at the beginning.
 */
export function showReplay(terminal: Pick<Terminal, "status" | "showsStatus" | "tell">): ReplayStatus {
  let isShown = false;

  function end(): void {
    if (isShown) terminal.status(null);
    isShown = false;
  }

  return {
    onEvent(event) {
      if (event.type === "rollout:changed") end();
      if (event.type !== "rollout:replaying") return;
      if (!terminal.showsStatus) {
        if (isFirstOfReplay(event)) terminal.tell(describeReplay(event));
        return;
      }
      isShown = true;
      terminal.status(describeReplaying(event));
    },
    end,
  };
}

export function describeReplaying({ version, tried, cases }: RuntimeEvent<"rollout:replaying">): string {
  return `${version} is tried with recorded calls before anybody gets it: ${tried} of ${cases}`;
}

/** Of all that is told of one replay. */
export function isFirstOfReplay({ tried }: RuntimeEvent<"rollout:replaying">): boolean {
  return tried === 0;
}

/** For where it is told once. */
export function describeReplay({ version, cases }: RuntimeEvent<"rollout:replaying">): string {
  return `${version} is tried with ${cases === 1 ? "1 recorded call" : `${cases} recorded calls`} before anybody gets it; this waits for that.`;
}
