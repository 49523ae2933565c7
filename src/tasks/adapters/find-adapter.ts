import { nearest } from "../../core/nearest.ts";
import type { AgentAdapter } from "./agent-adapter.ts";
import { refuse } from "./refuse.ts";

/** Throws TASK_INVALID that names the nearest and all there are; `elsewhere`: on other machines. */
export function findAdapter(
  name: string,
  adapters: ReadonlyMap<string, AgentAdapter>,
  elsewhere: readonly string[] = [],
): AgentAdapter {
  const found = adapters.get(name);
  if (found) return found;
  const names = [...new Set([...adapters.keys(), ...elsewhere])];
  const [meant] = nearest(name, names, 1);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  refuse(`Unknown agent ${JSON.stringify(name.slice(0, 80))}.${hint} Available: ${names.join(", ")}.`);
}
