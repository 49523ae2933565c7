import type { TaskManagerOptions } from "./task-parts.ts";

/** How often they are looked for. */
const lookMs = 5000;
/** So long another process that has the agent in its settings may take to start one, or to come back. */
const patienceMs = 60_000;

/**
 * Agents that tasks wait for and nobody here knows: they were taken out of the settings. Whoever asks gets those that have waited for
 * a while with none of them at work. Empty where machines share the store: another one may have it.
 */
export function createForgottenAgents({ store, adapters, clock }: TaskManagerOptions): () => Promise<string[]> {
  const seenAt = new Map<string, number>();
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function isStuck(agent: string): Promise<boolean> {
    return !adapters.has(agent) && (await store.count({ agent, states: ["running"] })) === 0;
  }

  return async () => {
    const now = clock.monotonic();
    if (store.shared || now - lookedAt < lookMs) return [];
    lookedAt = now;
    const waiting = await store.queuedAgents();
    const stuck = new Set<string>();
    for (const agent of waiting) if (await isStuck(agent)) stuck.add(agent);
    for (const agent of seenAt.keys()) if (!stuck.has(agent)) seenAt.delete(agent);
    for (const agent of stuck) if (!seenAt.has(agent)) seenAt.set(agent, now);
    return [...seenAt].filter(([, since]) => now - since >= patienceMs).map(([agent]) => agent);
  };
}
