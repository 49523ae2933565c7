import { useEffect } from "preact/hooks";
import type { Topic } from "../api/types.ts";
import { listen } from "./live.ts";
import { createPace } from "./pace.ts";

/** Asks to load again when one of the topics changed, and not more often than the pace allows. */
export function useTopics(topics: readonly Topic[], load: () => void, paceMs: number): void {
  const topicList = topics.join(" ");
  useEffect(() => {
    const wanted = topicList.split(" ");
    const pace = createPace(paceMs, load);
    const stop = listen("changed", (topic) => {
      // After a break nothing of it can wait.
      if (topic === null) load();
      else if (wanted.includes(topic)) pace.ask();
    });
    return () => {
      stop();
      pace.stop();
    };
  }, [topicList, load, paceMs]);
}

/** Under load a page is told of changes four times a second; nobody reads that fast. */
export const usualPaceMs = 500;
