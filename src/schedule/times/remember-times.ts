import type { JobTimes } from "../../core/job.ts";
import { openTimes, type Times } from "./times.ts";

export type TimesOf = (when: JobTimes) => Promise<Times>;

/** `openTimes`, but each only once. */
export function rememberTimes(open: TimesOf = openTimes): TimesOf {
  const remembered = new Map<string, Promise<Times>>();
  return (when) => {
    const key = JSON.stringify(when);
    let times = remembered.get(key);
    if (!times) {
      // Jobs come and go: those that are in use are soon there again.
      if (remembered.size >= 1000) remembered.clear();
      times = open(when);
      remembered.set(key, times);
      // What failed may not fail again.
      times.catch(() => remembered.delete(key));
    }
    return times;
  };
}
