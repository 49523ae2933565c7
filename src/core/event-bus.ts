import type { Clock } from "./clock.ts";
import { messageOf } from "./errors.ts";
import type { Emit, EventType, RuntimeEvent } from "./events.ts";
import { isThenable } from "./json.ts";

export type Listener<Type extends EventType> = (event: RuntimeEvent<Type>) => unknown;

export interface EventBus {
  readonly emit: Emit;
  /** `"*"` hears everything. Returns the way to stop listening. */
  on<Type extends EventType>(type: Type | "*", listener: Listener<Type>): () => void;
  /** Delivers what is queued now; for the end of a program. */
  flush(): void;
}

/** How long listeners may hold the event loop before the queue yields to whatever else is waiting. */
const burstMs = 5;
/** A backlog beyond this does not wait for the next turn: a program that never lets one come would fill the memory. */
const longBacklog = 1000;
/** Progress that finds this many events still undelivered is left out: watchers that slow would fill the memory. */
const fullQueue = 10_000;

interface Subscription {
  readonly listener: Listener<EventType>;
  /** It hears only what happened after it came. */
  readonly since: number;
}

/**
 * Events are numbered when they happen and delivered in that order, never inside `emit`: a listener that throws,
 * rejects or dawdles can't reach into the execution it watches.
 */
export function createEventBus(clock: Clock): EventBus {
  const byType = new Map<EventType | "*", Set<Subscription>>();
  let queue: RuntimeEvent[] = [];
  let next = 0;
  let seq = 0;
  let microtaskPending = false;
  let turnPending = false;

  const emit: Emit = (type, payload) => {
    if (type === "execution:progressed" && queue.length - next >= fullQueue) return;
    seq += 1;
    if (byType.size === 0) return;
    queue.push({ type, seq, at: clock.now(), ...payload } as RuntimeEvent);
    if (!microtaskPending && (!turnPending || queue.length - next > longBacklog)) {
      microtaskPending = true;
      queueMicrotask(deliverSoon);
    }
  };

  function deliverSoon(): void {
    microtaskPending = false;
    deliver();
  }

  function deliverNextTurn(): void {
    turnPending = false;
    deliver();
  }

  function deliver(): void {
    const until = clock.monotonic() + burstMs;
    while (next < queue.length) {
      tellNext();
      if (next < queue.length && clock.monotonic() > until) {
        queue = queue.slice(next);
        next = 0;
        if (!turnPending) setImmediate(deliverNextTurn);
        turnPending = true;
        return;
      }
    }
    queue = [];
    next = 0;
  }

  /** The place in the queue moves on first: a listener may flush, and must not meet the same event again. */
  function tellNext(): void {
    const event = queue[next]!;
    next += 1;
    tell(byType.get(event.type), event);
    tell(byType.get("*"), event);
  }

  function tell(subscriptions: Set<Subscription> | undefined, event: RuntimeEvent): void {
    if (!subscriptions) return;
    for (const { listener, since } of subscriptions) {
      if (event.seq <= since) continue;
      try {
        const returned = listener(event);
        if (isThenable(returned)) returned.then(undefined, (thrown: unknown) => complain(event, thrown));
      } catch (thrown) {
        complain(event, thrown);
      }
    }
  }

  function complain(event: RuntimeEvent, thrown: unknown): void {
    // A listener that fails on the complaint about itself must not start an endless chain.
    if (event.type === "listener:failed") return;
    emit("listener:failed", { event: event.type, error: messageOf(thrown) });
  }

  return {
    emit,
    on(type, listener) {
      const subscriptions = byType.get(type) ?? new Set();
      byType.set(type, subscriptions);
      const subscription: Subscription = { listener: listener as Listener<EventType>, since: seq };
      subscriptions.add(subscription);
      return () => {
        subscriptions.delete(subscription);
        if (subscriptions.size === 0 && byType.get(type) === subscriptions) byType.delete(type);
      };
    },
    flush() {
      while (next < queue.length) tellNext();
    },
  };
}
