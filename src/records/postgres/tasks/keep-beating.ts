import type { Clock } from "../../../core/clock.ts";

export interface Beating {
  /** Resolves when the beat under way, if any, has ended. */
  stop(): Promise<void>;
}

/**
 * Beats once, and from then on for ever. Rejects when the first beat does. One that fails later is tried again sooner: whoever needs
 * the store is told that it is gone, and it may be back at any moment.
 */
export async function keepBeating(
  beat: () => Promise<void>,
  { clock, beatMs }: { readonly clock: Clock; readonly beatMs: number },
): Promise<Beating> {
  let isStopped = false;
  let cancel = (): void => {};
  let beating: Promise<void> = beat();
  await beating;

  function beatAgain(delayMs: number): void {
    if (isStopped) return;
    cancel = clock.after(delayMs, () => {
      beating = beat().then(
        () => beatAgain(beatMs),
        () => beatAgain(beatMs / 5),
      );
    });
  }
  beatAgain(beatMs);

  return {
    async stop() {
      isStopped = true;
      cancel();
      await beating;
    },
  };
}
