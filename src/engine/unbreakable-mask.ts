import type { Execution } from "../core/execution.ts";
import type { Mask } from "../core/mask.ts";
import type { ProcessNote } from "../core/stop-report.ts";

/** When masking breaks, the record loses what could hold a secret rather than the call its end. */
export function unbreakableMask(mask: Mask): Mask {
  return {
    execution(execution) {
      try {
        const masked: Execution | undefined = mask.execution(execution);
        return masked?.id === execution.id ? masked : withhold(execution);
      } catch {
        return withhold(execution);
      }
    },
    text(text) {
      try {
        return mask.text(text);
      } catch {
        return withheld;
      }
    },
  };
}

const withheld = "[withheld: masking failed]";

function withhold(execution: Execution): Execution {
  return {
    ...execution,
    toolInput: withheld,
    result: null,
    error: execution.error === null ? null : withheld,
    note: null,
    killed: execution.killed.map(withholdCommand),
    survivors: execution.survivors.map(withholdCommand),
  };
}

function withholdCommand({ pid }: ProcessNote): ProcessNote {
  return { pid, command: withheld };
}
