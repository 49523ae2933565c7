import type { AgentEvent } from "../../core/agent-events.ts";
import { addUsage, noUsage, type Usage } from "../../core/model.ts";
import { percentOf } from "./format-figures.ts";
import type { RunStatus } from "./status-line.ts";

/** The figures of a conversation, from its events. */
export interface StatusKeeper {
  agent(event: AgentEvent): void;
  /** `now` of the clock's `monotonic`. */
  read(now: number): RunStatus;
}

export function createStatusKeeper(options: {
  readonly mode: () => string | null;
  readonly now: () => number;
}): StatusKeeper {
  let model: string | null = null;
  let usage: Usage = noUsage;
  let cost: number | null = null;
  let context: { readonly tokens: number; readonly maxTokens: number } | null = null;
  let startedAt: number | null = null;

  return {
    agent(event) {
      switch (event.type) {
        case "run:started":
          model = event.model;
          startedAt = options.now();
          break;
        case "run:ended":
          startedAt = null;
          break;
        case "reply:finished":
          usage = addUsage(usage, event.usage);
          if (event.cost !== null) cost = (cost ?? 0) + event.cost;
          break;
        case "context:measured":
          context = event;
          break;
        case "context:compacted":
          if (context !== null) context = { ...context, tokens: event.tokensAfter };
          break;
        default:
      }
    },
    read: (now) => ({
      model,
      contextTokens: context?.tokens ?? null,
      maxContextTokens: context?.maxTokens ?? null,
      cost,
      cachedPercent: usage.cacheReadTokens === 0 ? null : percentOf(usage.cacheReadTokens, usage.inputTokens),
      mode: options.mode(),
      elapsedMs: startedAt === null ? null : now - startedAt,
    }),
  };
}
