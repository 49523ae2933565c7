import type { RolloutEvent, RolloutStore } from "../../../core/rollout-store.ts";

/** The same store; whoever listens hears of each event once it is committed. */
export function tellRolloutEvents(
  store: RolloutStore,
  listener: (event: Omit<RolloutEvent, "id">) => void,
): RolloutStore {
  return {
    ...store,
    async change(work) {
      let events: Omit<RolloutEvent, "id">[] = [];
      const result = await store.change((transaction) => {
        events = []; // It may be run again.
        return work({
          ...transaction,
          addEvent(event) {
            transaction.addEvent(event);
            events.push(event);
          },
        });
      });
      for (const event of events) listener(event);
      return result;
    },
  };
}
