import { messageOf } from "../core/errors.ts";
import type { StopCause } from "../core/call.ts";

/** One call's stop button. The first cause wins; later ones change nothing. */
export class CallControl {
  cause: StopCause | null = null;
  reason = "";
  private readonly controller = new AbortController();
  private isGuarded = false;
  private listener: (() => void) | null = null;
  private ended = false;

  get signal(): AbortSignal {
    const { signal } = this.controller;
    if (!this.isGuarded) guardListeners(signal, this);
    this.isGuarded = true;
    return signal;
  }

  /** A listener of the tool's own threw when the call was stopped: that is this call's failure, and nobody else's. */
  noteBrokenListener(thrown: unknown): void {
    this.reason += `; a listener of the tool's signal failed: ${messageOf(thrown)}`;
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

const controlOf = Symbol("the call that this signal belongs to");

interface GuardedSignal extends AbortSignal {
  [controlOf]?: CallControl;
}

type Listener = NonNullable<Parameters<AbortSignal["addEventListener"]>[1]>;
type Options = Parameters<AbortSignal["addEventListener"]>[2];

/** What a listener throws is not thrown by `abort`: Node raises it on its own, which would end the whole process with every call in it. */
function guardListeners(signal: GuardedSignal, control: CallControl): void {
  signal[controlOf] = control;
  // Own properties: another prototype would cost more than all the rest of a call.
  signal.addEventListener = addGuarded;
  signal.removeEventListener = removeGuarded;
}

const plain = AbortSignal.prototype;
const guards = new WeakMap<object, Listener>();

type Registration = [type: string, listener: Listener, options?: Options];

function addGuarded(this: GuardedSignal, ...[type, listener, options]: Registration): void {
  plain.addEventListener.call(this, type, guardOf(listener), options);
}

function removeGuarded(this: GuardedSignal, ...[type, listener, options]: Registration): void {
  plain.removeEventListener.call(this, type, guardOf(listener), options);
}

/** One for each listener, so that it is found again when it is removed. */
function guardOf(listener: Listener): Listener {
  // Whatever else was given is for the original to judge.
  if (!listener || (typeof listener !== "function" && typeof listener !== "object")) return listener;
  const known = guards.get(listener);
  if (known) return known;
  const guard = function (this: GuardedSignal, event: Event): void {
    const note = (thrown: unknown): void => this[controlOf]?.noteBrokenListener(thrown);
    try {
      const done: unknown = typeof listener === "function" ? listener.call(this, event) : listener.handleEvent(event);
      if (done instanceof Promise) done.catch(note);
    } catch (thrown) {
      note(thrown);
    }
  };
  guards.set(listener, guard);
  return guard;
}
