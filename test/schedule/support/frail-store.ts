import type { ScheduleStore } from "../../../src/core/job.ts";

/** Stops a process at one of its next steps, before or after what that step does to the store. */
export interface Frailty {
  stepsLeft: number;
  isAfter: boolean;
}

/** The store of a process that may stop at any step: from then on nothing that it asks for is ever answered. */
export function createFrailStore(store: ScheduleStore, frailty: Frailty): ScheduleStore {
  const never = new Promise<never>(() => {});
  return new Proxy(store, {
    get(target, name: keyof ScheduleStore) {
      const member = target[name];
      if (typeof member !== "function") return member;
      return (...args: never[]) => {
        frailty.stepsLeft -= 1;
        if (frailty.stepsLeft > 0) return Reflect.apply(member, target, args);
        if (frailty.stepsLeft === 0 && frailty.isAfter) void Reflect.apply(member, target, args);
        return never;
      };
    },
  });
}
