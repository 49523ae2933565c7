import type { StopCause } from "../core/execution.ts";

/** One call's stop button. The first cause wins; later ones change nothing. */
export class CallControl {
  cause: StopCause | null = null;
  reason = "";
  private readonly controller = new AbortController();
  private listener: (() => void) | null = null;
  private ended = false;

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** False when it was stopped before, or has ended. */
  stop(cause: StopCause, reason: string): boolean {
    if (this.cause || this.ended) return false;
    this.cause = cause;
    this.reason = reason;
    this.controller.abort(new DOMException(reason, cause === "cancel" ? "AbortError" : "TimeoutError"));
    this.listener?.();
    return true;
  }

  /** At most one listener at a time: whatever the call is waiting for right now. */
  onStop(listener: (() => void) | null): void {
    this.listener = listener;
  }

  /** From here on nothing can stop it. */
  end(): void {
    this.ended = true;
    this.listener = null;
  }
}

/** What the promise gives, or `undefined` as soon as the call is stopped; then the promise is left to itself. */
export async function unlessStopped<Value>(control: CallControl, promise: Promise<Value>): Promise<Value | undefined> {
  if (control.cause) {
    promise.catch(() => undefined); // nobody waits for it any more
    return undefined;
  }
  const stop = Promise.withResolvers<undefined>();
  control.onStop(() => stop.resolve(undefined));
  try {
    return await Promise.race([promise, stop.promise]);
  } finally {
    control.onStop(null);
  }
}
