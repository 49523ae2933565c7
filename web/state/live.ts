import { createEventParser, type StreamEvent } from "../api/parse-events.ts";
import { ApiError, isSignedOut, openStream } from "../api/request.ts";
import type { LogEntry, Topic } from "../api/types.ts";
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

/** What is listened to now; aborted when it is not any more. */
let listening: AbortController | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let catchUp: ReturnType<typeof setTimeout> | undefined;
const catchUpMs = 1500;
/** There was a break: something may have changed that nobody told. */
let hasMissed = false;
let failures = 0;
/** After a break the daemon goes on behind this one. */
let lastId = "";
/** It is the same machine: whoever waits looks at it. */
const longestRetryMs = 2000;

/** Opens the event stream, now, and again whenever it breaks. Not an EventSource: that can't send the page's key. */
export function connect(): void {
  disconnect();
  const { signal } = (listening = new AbortController());
  void follow(signal).catch((thrown: unknown) => noticeBreak(thrown, signal));
}

async function follow(signal: AbortSignal): Promise<never> {
  const stream = await openStream("/api/events", lastId, signal);
  failures = 0;
  connection.set("open");
  // `changed` is not replayed: what happened while nobody listened is fetched anew. At the start that was a blink, and
  // the page is being drawn: it can wait.
  clearTimeout(catchUp);
  if (hasMissed) emit("changed", null);
  else catchUp = setTimeout(() => emit("changed", null), catchUpMs);
  hasMissed = false;
  const parse = createEventParser();
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) parse(part.value).forEach(take);
  throw new ApiError(0, "AWAY", "The event stream ended.");
}

function take({ name, data, id }: StreamEvent): void {
  if (id !== "") lastId = id;
  if (name === "reset") {
    lastId = "";
    emit("changed", null);
    return;
  }
  const event = read<LogEntry & { topic?: Topic }>(data);
  if (event === undefined) return;
  if (name === "changed" && event.topic !== undefined) emit("changed", event.topic);
  else if (name === "log") emit("log", { id, entry: event });
  else if (name === "progress" || name === "task_progress") emit(name, event as never);
}

export function disconnect(): void {
  clearTimeout(retry);
  clearTimeout(catchUp);
  listening?.abort();
  listening = undefined;
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
    } else if (listening === undefined) {
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

function noticeBreak(thrown: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  failures += 1;
  hasMissed = true;
  if (isSignedOut(thrown)) {
    disconnect();
    connection.set("signed out");
    return;
  }
  // One that broke is usually back at once; nobody needs to know.
  if (failures >= 2) connection.set("away");
  clearTimeout(retry);
  retry = setTimeout(connect, Math.min(125 * 2 ** failures, longestRetryMs));
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
