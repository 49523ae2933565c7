import type { RuntimeEvent } from "../core/events.ts";
import type { Terminal } from "./terminal.ts";

export interface ReplayStatus {
  readonly onEvent: (event: RuntimeEvent) => void;
  end(): void;
}

/** One line on stderr while the first call waits for what is tried on a new version of a tool; it disappears at the end. */
export function showReplay(terminal: Pick<Terminal, "status">): ReplayStatus {
  let isShown = false;

  function end(): void {
    if (isShown) terminal.status(null);
    isShown = false;
  }

  return {
    onEvent(event) {
      if (event.type === "rollout:changed") end();
      if (event.type !== "rollout:replaying") return;
      isShown = true;
      terminal.status(describeReplaying(event));
    },
    end,
  };
}

export function describeReplaying({ version, tried, cases }: RuntimeEvent<"rollout:replaying">): string {
  return `${version} is tried with recorded calls before anybody gets it: ${tried} of ${cases}`;
}
