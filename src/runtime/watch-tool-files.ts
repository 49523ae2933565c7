import type { Execution } from "../core/execution.ts";
import type { Ledger } from "../core/ledger.ts";
import type { Replay } from "../core/tool.ts";
import type { Quarantine } from "../gate/quarantine.ts";

/**
 * A ledger that looks at the tool files before and after each call that was not a person's own order. The ledger is the one
 * place that every call passes right before it runs and right after it ended.
 */
export function watchToolFiles(ledger: Ledger, quarantine: Quarantine): Ledger {
  const watched = new Set<string>();

  function mayWrite({ door, version, toolId }: Execution, replay: Replay): boolean {
    const isOwnOrder = door === "cli" || door === "dashboard" || door === "library" || door === null;
    // A question may wait for days, and what the person saves meanwhile is the person's.
    const writesNothing = version === "builtin" && (replay === "safe" || toolId === "ask_user");
    return !isOwnOrder && !writesNothing;
  }

  return {
    ...ledger,
    opened(execution, replay) {
      // A folder that an agent makes itself is looked at as well: what was in it before is known to be nothing.
      if (mayWrite(execution, replay)) {
        watched.add(execution.id);
        quarantine.began();
      }
      return ledger.opened(execution, replay);
    },
    settled(execution, replay) {
      if (watched.delete(execution.id)) quarantine.ended(execution);
      return ledger.settled(execution, replay);
    },
  };
}
