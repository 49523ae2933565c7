import { getJson, isSignedOut } from "../api/request.ts";
import type { LogEntry, Status, Topic } from "../api/types.ts";
import { createStore } from "./store.ts";

/**
 * - `connecting`: for the first time
 * - `open`: what is shown is what is
 * - `away`: the daemon does not answer; tried again until it does
 * - `signed out`: it answers, and does not know this browser
 */
export type Connection = "connecting" | "open" | "away" | "signed out";
export const connection = createStore<Connection>("connecting");

export interface LiveEvents {
  /** Something of the topic changed; null: anything may have. */
  readonly changed: Topic | null;
  readonly log: { readonly id: string; readonly entry: LogEntry };
  readonly progress: { readonly execution_id: string };
  readonly task_progress: { readonly task_id: string };
}

type Listeners = { readonly [Name in keyof LiveEvents]: Set<(event: LiveEvents[Name]) => void> };
const listeners: Listeners = { changed: new Set(), log: new Set(), progress: new Set(), task_progress: new Set() };

/** Returns the way to stop. */
export function listen<Name extends keyof LiveEvents>(
  name: Name,
  listener: (event: LiveEvents[Name]) => void,
): () => void {
  const set = listeners[name];
  set.add(listener);
  return () => void set.delete(listener);
}

/** For what this page changed itself: it is shown without waiting for the daemon to say so. */
export function tellChanged(topic: Topic | null): void {
  emit("changed", topic);
}

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let catchUp: ReturnType<typeof setTimeout> | undefined;
const catchUpMs = 1500;
/** There was a break: something may have changed that nobody told. */
let hasMissed = false;
let failures = 0;
/** It is the same machine: whoever waits looks at it. */
const longestRetryMs = 2000;

/** Opens the event stream, now. The browser itself comes back with the last id after a break. */
export function connect(): void {
  disconnect();
  const opened = new EventSource("/api/events");
  source = opened;
  opened.addEventListener("open", () => {
    failures = 0;
    connection.set("open");
    // `changed` is not replayed: what happened while nobody listened is fetched anew. At the start that was a blink, and
    // the page is being drawn: it can wait.
    clearTimeout(catchUp);
    if (hasMissed) emit("changed", null);
    else catchUp = setTimeout(() => emit("changed", null), catchUpMs);
    hasMissed = false;
  });
  opened.addEventListener("error", () => void noticeBreak(opened));
  opened.addEventListener("reset", () => emit("changed", null));
  opened.addEventListener("changed", ({ data }) => {
    const { topic } = read<{ topic?: Topic }>(data) ?? {};
    if (topic !== undefined) emit("changed", topic);
  });
  opened.addEventListener("log", ({ data, lastEventId }) => {
    const entry = read<LogEntry>(data);
    if (entry !== undefined) emit("log", { id: lastEventId, entry });
  });
  for (const name of ["progress", "task_progress"] as const) {
    opened.addEventListener(name, ({ data }) => {
      const event = read<LiveEvents[typeof name]>(data);
      if (event !== undefined) emit(name, event as never);
    });
  }
}

export function disconnect(): void {
  clearTimeout(retry);
  clearTimeout(catchUp);
  source?.close();
  source = undefined;
}

/**
 * A browser opens six connections to one address, and a stream holds one: a tab that nobody looks at lets go of it, and
 * asks now and then, for the count in its title.
 */
export function restWhileHidden(): () => void {
  let rest: ReturnType<typeof setTimeout> | undefined;
  let look: ReturnType<typeof setInterval> | undefined;
  const follow = () => {
    clearTimeout(rest);
    clearInterval(look);
    if (document.visibilityState === "hidden") {
      rest = setTimeout(() => {
        disconnect();
        hasMissed = true;
        look = setInterval(() => emit("changed", "inbox"), hiddenLookMs);
      }, hiddenPatienceMs);
    } else if (source === undefined) {
      connect();
    }
  };
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    clearTimeout(rest);
    clearInterval(look);
  };
}

const hiddenPatienceMs = 20_000;
const hiddenLookMs = 20_000;

/** An EventSource does not say why: away for a moment, or refused for good. Asking tells. */
async function noticeBreak(broken: EventSource): Promise<void> {
  if (broken !== source) return;
  failures += 1;
  hasMissed = true;
  try {
    await getJson<Status>("/api/status");
  } catch (thrown) {
    if (broken !== source) return;
    if (isSignedOut(thrown)) {
      disconnect();
      connection.set("signed out");
      return;
    }
    connection.set("away");
  }
  if (broken !== source || broken.readyState !== EventSource.CLOSED) return;
  // It answers, but gives no stream: too many may be open.
  if (failures >= 3) connection.set("away");
  clearTimeout(retry);
  retry = setTimeout(connect, Math.min(250 * 2 ** failures, longestRetryMs));
}

function emit<Name extends keyof LiveEvents>(name: Name, event: LiveEvents[Name]): void {
  for (const listener of listeners[name]) listener(event);
}

function read<Event>(data: unknown): Event | undefined {
  try {
    return JSON.parse(String(data)) as Event;
  } catch {
    return undefined; // a line that is no JSON says nothing
  }
}
