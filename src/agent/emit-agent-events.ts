import type { AgentEvent, AgentEvents, AgentEventType, EmitAgent } from "../core/events.ts";

type AgentListener = (event: AgentEvent) => void;

export interface AgentEventHub {
  readonly emit: EmitAgent;
  on(listener: AgentListener): () => void;
}

/** Tells listeners in order. One that throws is its own problem: the run goes on. */
export function createAgentEvents(now: () => number, onBroken: (thrown: unknown) => void): AgentEventHub {
  const listeners = new Set<AgentListener>();
  return {
    emit<Type extends AgentEventType>(type: Type, payload: AgentEvents[Type]) {
      const event = { type, at: now(), ...payload } as AgentEvent;
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (thrown) {
          onBroken(thrown);
        }
      }
    },
    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
