import type { ScheduleStore } from "../core/schedule-store.ts";
import type { Run } from "../core/schedule.ts";

const pageSize = 100;

/** Each run that is due and may start by then, also when there are more than anybody wants in memory. */
export async function* eachDue(store: ScheduleStore, startBy: number): AsyncGenerator<Run> {
  let after: Run | undefined;
  do {
    const page = await store.listDue({ startBy, limit: pageSize, ...(after && { after }) });
    yield* page;
    after = page.length < pageSize ? undefined : page.at(-1);
  } while (after);
}
