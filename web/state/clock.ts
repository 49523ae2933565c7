import { useEffect } from "preact/hooks";
import { createStore, useStore } from "./store.ts";

const seconds = createStore(Date.now());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, once a second, for as long as something on the page shows it. */
export function useNow(): number {
  useEffect(() => {
    watchers += 1;
    timer ??= setInterval(() => seconds.set(Date.now()), 1000);
    return () => {
      watchers -= 1;
      if (watchers > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return useStore(seconds);
}
