import { systemClock } from "../core/clock.ts";
import { createId } from "../core/ids.ts";
import type { ToolCall } from "../core/tool-call.ts";
import type { Engine, RunningCall } from "../engine/engine.ts";

/** Calls whose tool is being loaded: they have an id and can be cancelled, but the engine does not know them yet. */
export interface EarlyCalls {
  call(loading: Promise<void>, call: ToolCall): RunningCall;
  /** Of these calls and of the engine's. */
  readonly cancel: (id: string, reason: string) => boolean;
  cancelAll(reason: string): Promise<void>;
}

export function createEarlyCalls(engine: Engine): EarlyCalls {
  const waiting = new Map<string, { reason: string | null; readonly begun: Promise<unknown> }>();

  function call(loading: Promise<void>, order: ToolCall): RunningCall {
    const id = createId("call", systemClock.now());
    const begun = loading.then(() => {
      const reason = waiting.get(id)?.reason ?? null;
      waiting.delete(id);
      const running = engine.call({ ...order, id });
      if (reason !== null) engine.cancel(id, reason);
      return running;
    });
    waiting.set(id, { reason: null, begun });
    return Object.assign(begun, { id });
  }

  function cancel(id: string, reason: string): boolean {
    const early = waiting.get(id);
    if (!early) return engine.cancel(id, reason);
    early.reason ??= reason;
    return true;
  }

  return {
    call,
    cancel,
    async cancelAll(reason) {
      const all = [...waiting.values()];
      for (const early of all) early.reason ??= reason;
      await Promise.all(all.map(({ begun }) => begun));
    },
  };
}
