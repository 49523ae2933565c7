import { createStore } from "./store.ts";

export interface Announcement {
  readonly text: string;
  readonly tone: "good" | "bad" | "plain";
  /** Two of the same text are two. */
  readonly number: number;
}

export const announcement = createStore<Announcement | null>(null);
let number = 0;

/** Says what just happened: shown for a moment, and read aloud by a screen reader. */
export function announce(text: string, tone: Announcement["tone"] = "plain"): void {
  number += 1;
  announcement.set({ text, tone, number });
}
