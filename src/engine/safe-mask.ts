import type { Execution } from "../core/call.ts";
import type { Mask, MaskStream } from "../core/mask.ts";
import type { ProcessNote } from "../core/process.ts";

/** A mask that never throws, and that has a stream of its own for a mask without one. */
export interface UnbreakableMask extends Mask {
  stream(): MaskStream;
  /** Nothing, when it can't be masked. */
  object(object: object): object;
}

/** When masking breaks, the record loses what could hold a secret rather than the call its end. */
export function unbreakableMask(mask: Mask): UnbreakableMask {
  function text(text: string): string {
    try {
      return mask.text(text);
    } catch {
      return withheld;
    }
  }

  return {
    text,
    execution(execution) {
      try {
        const masked: Execution | undefined = mask.execution(execution);
        return masked?.id === execution.id ? masked : withhold(execution);
      } catch {
        return withhold(execution);
      }
    },
    object(object) {
      try {
        return mask.value?.(object) ?? {};
      } catch {
        return {};
      }
    },
    stream() {
      try {
        return mask.stream ? unbreakableStream(mask.stream()) : { push: text, end: () => "" };
      } catch {
        return { push: () => withheld, end: () => "" };
      }
    },
  };
}

/** Once broken, it says so and nothing more: what it held back may be half of a secret. */
function unbreakableStream(stream: MaskStream): MaskStream {
  let isBroken = false;
  function attempt(mask: () => string): string {
    if (isBroken) return "";
    try {
      return mask();
    } catch {
      isBroken = true;
      return withheld;
    }
  }
  return { push: (piece) => attempt(() => stream.push(piece)), end: () => attempt(() => stream.end()) };
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
