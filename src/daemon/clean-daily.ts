import type { Clock } from "../core/clock.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** Not while everything starts. */
const firstAfterMs = 60_000;
const dayMs = 24 * 60 * 60_000;

/**
 * Does what `deckhand clean` does, soon and then once a day. What it returns ends it, and settles when nothing is removed any
 * more: what is left goes the next time.
 */
export function cleanDaily(parts: {
  readonly runtime: Pick<Runtime, "clean">;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
}): () => Promise<void> {
  const { runtime, clock, onError } = parts;
  const stopping = new AbortController();
  let cleaning: Promise<void> | undefined;
  let cancel = clock.after(firstAfterMs, begin);

  function begin(): void {
    cleaning = clean().finally(() => {
      if (!stopping.signal.aborted) cancel = clock.after(dayMs, begin);
    });
  }

  async function clean(): Promise<void> {
    try {
      const { problems } = await runtime.clean({ signal: stopping.signal, door: "daemon" });
      for (const problem of problems) onError(problem);
    } catch (thrown) {
      onError(thrown);
    }
  }

  return async () => {
    stopping.abort();
    cancel();
    await cleaning;
  };
}
