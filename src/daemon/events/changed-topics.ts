import type { Clock } from "../../core/clock.ts";
import type { EventType } from "../../core/events.ts";

/** What a page shows, by a word: when it changed, whoever shows it asks again. */
export type Topic = "calls" | "tasks" | "rollouts" | "jobs" | "inbox" | "tools" | "sessions";

const byEvent: Partial<Record<EventType, readonly Topic[]>> = {
  "execution:created": ["calls"],
  "execution:started": ["calls"],
  "execution:settled": ["calls", "tools"],
  "approval:asked": ["inbox", "calls"],
  "approval:settled": ["inbox", "calls"],
  "inbox:added": ["inbox"],
  "rollout:changed": ["rollouts", "tools"],
  "task:created": ["tasks"],
  "task:started": ["tasks"],
  "task:settled": ["tasks"],
  "job:changed": ["jobs"],
  "run:started": ["jobs"],
  "run:retried": ["jobs"],
  "run:settled": ["jobs"],
};

/** Lines of the journal tell of other processes as well. */
const byEntry: Readonly<Record<string, readonly Topic[]>> = {
  tool_call: ["calls"],
  tool_result: ["calls", "tools"],
  tool_error: ["calls", "tools"],
  decision: ["calls", "inbox"],
  question: ["inbox"],
  answer: ["inbox"],
  rollout: ["rollouts", "tools"],
  user_input: ["sessions"],
  assistant_output: ["sessions"],
};

export function topicsOfEvent(type: EventType): readonly Topic[] {
  return byEvent[type] ?? [];
}

export function topicsOfEntry(type: unknown): readonly Topic[] {
  return typeof type === "string" ? (byEntry[type] ?? []) : [];
}

export interface ChangedTopics {
  note(topics: readonly Topic[]): void;
  close(): void;
}

const quietMs = 250;

/** Tells a topic at once, and then at most once in 250 ms however often it changes. */
export function createChangedTopics(clock: Clock, tell: (topic: Topic) => void): ChangedTopics {
  const waiting = new Map<Topic, { isChanged: boolean; cancel: () => void }>();

  function note(topic: Topic): void {
    const known = waiting.get(topic);
    if (known) known.isChanged = true;
    else tellNow(topic);
  }

  function tellNow(topic: Topic): void {
    const cancel = clock.after(quietMs, () => {
      const { isChanged } = waiting.get(topic)!;
      waiting.delete(topic);
      if (isChanged) tellNow(topic);
    });
    waiting.set(topic, { isChanged: false, cancel });
    tell(topic);
  }

  return {
    note: (topics) => topics.forEach(note),
    close() {
      for (const { cancel } of waiting.values()) cancel();
      waiting.clear();
    },
  };
}
