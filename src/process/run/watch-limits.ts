import type { Clock } from "../../core/clock.ts";
import type { CommandEnd, CommandRequest } from "./run-request.ts";

export type StopCause = NonNullable<CommandEnd["stoppedBy"]>;

/** What may stop a command from outside. The first cause wins, whatever else happens afterwards. */
export interface Limits {
  readonly stopped: Promise<StopCause>;
  stop(cause: StopCause): void;
  /** Output came: the idle limit starts anew. */
  alive(): void;
  /** Takes every timer and listener away. */
  clear(): void;
}

export function watchLimits(clock: Clock, request: Pick<CommandRequest, "signal" | "wallMs" | "idleMs">): Limits {
  const { signal, wallMs, idleMs } = request;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<StopCause>();
  let lastSign = clock.monotonic();
  let cancelIdle: (() => void) | undefined;

  function awaitIdle(limitMs: number): void {
    const restMs = lastSign + limitMs - clock.monotonic();
    if (restMs <= 0) stop("idle");
    else cancelIdle = clock.after(restMs, () => awaitIdle(limitMs));
  }

  const onAbort = (): void => stop("signal");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const cancelWall = wallMs === undefined ? undefined : clock.after(wallMs, () => stop("wall"));
  if (idleMs !== undefined) awaitIdle(idleMs);

  return {
    stopped,
    stop,
    alive: () => void (lastSign = clock.monotonic()),
    clear() {
      signal.removeEventListener("abort", onAbort);
      cancelWall?.();
      cancelIdle?.();
    },
  };
}
