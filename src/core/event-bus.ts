import type { Clock } from "./clock.ts";
import { messageOf } from "./errors.ts";
import type { Emit, EventType, RuntimeEvent } from "./events.ts";

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

/**
 * Events are numbered when they happen and delivered in that order, never inside `emit`: a listener that throws,
 * rejects or dawdles can't reach into the execution it watches.
 */
export function createEventBus(clock: Clock): EventBus {
  const byType = new Map<EventType | "*", Set<Listener<EventType>>>();
  let queue: RuntimeEvent[] = [];
  let seq = 0;
  let scheduled = false;

  const emit: Emit = (type, payload) => {
    seq += 1;
    if (byType.size === 0) return;
    queue.push({ type, seq, at: clock.now(), ...payload } as RuntimeEvent);
    if (!scheduled) {
      scheduled = true;
      queueMicrotask(deliver);
    }
  };

  function deliver(): void {
    const until = clock.monotonic() + burstMs;
    let next = 0;
    while (next < queue.length) {
      const event = queue[next++]!;
      tell(byType.get(event.type), event);
      tell(byType.get("*"), event);
      if (next < queue.length && clock.monotonic() > until) {
        queue = queue.slice(next);
        setImmediate(deliver);
        return;
      }
    }
    queue = [];
    scheduled = false;
  }

  function tell(listeners: Set<Listener<EventType>> | undefined, event: RuntimeEvent): void {
    if (!listeners) return;
    for (const listener of listeners) {
      try {
        const returned = listener(event);
        if (returned instanceof Promise) returned.catch((thrown: unknown) => complain(event, thrown));
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
      const listeners = byType.get(type) ?? new Set();
      byType.set(type, listeners);
      listeners.add(listener as Listener<EventType>);
      return () => {
        listeners.delete(listener as Listener<EventType>);
        if (listeners.size === 0 && byType.get(type) === listeners) byType.delete(type);
      };
    },
    flush() {
      while (queue.length > 0) deliver();
    },
  };
}
