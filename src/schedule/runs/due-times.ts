import type { Run, ScheduleStore } from "../../core/job.ts";

const mostInMemory = 100;

/** Each run that is due and may start by then, so many at a time: there may be more than anybody wants in memory. */
export async function* eachDue(
  store: ScheduleStore,
  startBy: number,
  atATime: number = mostInMemory,
): AsyncGenerator<Run> {
  const pageSize = Math.min(atATime, mostInMemory);
  let after: Run | undefined;
  do {
    const page = await store.listDue({ startBy, limit: pageSize, ...(after && { after }) });
    yield* page;
    after = page.length < pageSize ? undefined : page.at(-1);
  } while (after);
}
