import { nearest } from "../../core/nearest.ts";
import type { AgentAdapter } from "./agent-adapter.ts";
import { refuse } from "./refuse.ts";

/** Throws TASK_INVALID that names the nearest and all there are. */
export function findAdapter(name: string, adapters: ReadonlyMap<string, AgentAdapter>): AgentAdapter {
  const found = adapters.get(name);
  if (found) return found;
  const [meant] = nearest(name, adapters.keys(), 1);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  refuse(
    `There is no agent ${JSON.stringify(name.slice(0, 80))}.${hint} There are: ${[...adapters.keys()].join(", ")}.`,
  );
}
