import { RuntimeError } from "../core/errors.ts";
import { messages } from "./messages.ts";

/** A conversation is one line of events: a prompt, a compaction and an undo never overlap. */
export interface OneAtATime {
  /** Rejects with AGENT_BUSY while something else is under way. The work gets a signal that also `stop` fires. */
  run<Result>(work: (signal: AbortSignal) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Stops what is under way, and resolves when it has ended. */
  stop(): Promise<void>;
}

export function createOneAtATime(): OneAtATime {
  let current: { readonly controller: AbortController; readonly ended: Promise<void> } | undefined;
  return {
    async run(work, signal) {
      if (current) throw new RuntimeError("AGENT_BUSY", messages.agentBusy);
      const controller = new AbortController();
      const ended = Promise.withResolvers<void>();
      const abort = (): void => controller.abort(signal?.reason);
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort, { once: true });
      current = { controller, ended: ended.promise };
      try {
        return await work(controller.signal);
      } finally {
        signal?.removeEventListener("abort", abort);
        current = undefined;
        ended.resolve();
      }
    },
    async stop() {
      current?.controller.abort(new Error(messages.sessionClosed));
      await current?.ended;
    },
  };
}
