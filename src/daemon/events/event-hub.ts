import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import type { EventType, RuntimeEvent } from "../../core/events.ts";
import { toWire } from "../../core/wire.ts";
import type { EntryPlace, JournalReader } from "../../records/audit-log/log-reader.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { guardHeaders, HttpError } from "../server/send.ts";
import { frameOf, logFrame, parsePlace, resetFrame } from "./event-frame.ts";
import { type JournalFeed, openJournalFeed } from "./journal-feed.ts";

/** All clients of the event stream, and what they are told. */
export interface EventHub {
  /** Answers with the stream, for as long as the client is let in; resolves when it is gone. */
  open(response: ServerResponse, lastId: string | null, isStillIn: () => boolean): Promise<void>;
  /** Cuts those off who would not be let in any more; it also happens at each beat. */
  recheck(): void;
  /** Something changed that neither an event nor the journal tells of. */
  note(topics: readonly Topic[]): void;
  readonly clients: number;
  /** Ends all streams. */
  close(): Promise<void>;
}

const mostClients = 256;
const heartbeatMs = 15_000;

export async function openEventHub(parts: {
  readonly runtime: Pick<Runtime, "on">;
  readonly journal: JournalReader;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
}): Promise<EventHub> {
  const { runtime, journal, clock, onError } = parts;
  const streams = new Map<EventStream, () => boolean>();
  const topics = createChangedTopics(clock, (topic) => sendAll(frameOf("changed", { topic })));
  const feed = await openJournalFeed({
    journal,
    clock,
    onEntry: ({ type }) => topics.note(topicsOfEntry(type)),
    onError,
  });
  const unsubscribe = runtime.on("*", tell);
  let cancelBeat = clock.after(heartbeatMs, beat);

  function sendAll(frame: string): void {
    for (const stream of streams.keys()) stream.send(frame);
  }

  function sendQuick(frame: string): void {
    for (const stream of streams.keys()) stream.sendIfQuick(frame);
  }

  function tell(event: RuntimeEvent): void {
    if (streams.size === 0) return;
    topics.note(topicsOfEvent(event.type));
    if (event.type === "execution:progressed") sendQuick(frameOf("progress", progressOf(event)));
    else if (event.type === "task:progressed") {
      const { id, progress, sessionId } = event;
      sendQuick(frameOf("task_progress", { task_id: id, progress, session_id: sessionId }));
    }
  }

  /** Whoever is gone without a word is noticed, and nothing between us takes the connection for dead. */
  function beat(): void {
    cancelBeat = clock.after(heartbeatMs, beat);
    recheck();
    sendAll(": beat\n\n");
  }

  function recheck(): void {
    for (const [stream, isStillIn] of streams) if (!isStillIn()) stream.cut();
  }

  return {
    async open(response, lastId, isStillIn) {
      if (streams.size >= mostClients) {
        throw new HttpError("TOO_MANY_STREAMS", `There are ${mostClients} event streams already; close one.`);
      }
      const stream = openEventStream(response, lastId, { feed, journal, clock });
      streams.set(stream, isStillIn);
      await stream.closed;
      streams.delete(stream);
    },
    recheck,
    note: (changed) => topics.note(changed),
    get clients() {
      return streams.size;
    },
    async close() {
      unsubscribe();
      cancelBeat();
      topics.close();
      for (const stream of streams.keys()) stream.end();
      await feed.close();
    },
  };
}

function progressOf({ id, progress }: RuntimeEvent<"execution:progressed">): object {
  const { output, ...rest } = progress;
  return toWire({ executionId: id, text: output ?? "", ...rest }) as object;
}

/** What a page shows, by a word: when it changed, whoever shows it asks again. */
type Topic = "calls" | "tasks" | "rollouts" | "jobs" | "inbox" | "tools" | "sessions";

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

function topicsOfEvent(type: EventType): readonly Topic[] {
  return byEvent[type] ?? [];
}

function topicsOfEntry(type: unknown): readonly Topic[] {
  return typeof type === "string" ? (byEntry[type] ?? []) : [];
}

export interface ChangedTopics {
  note(topics: readonly Topic[]): void;
  close(): void;
}

const quietMs = 250;

/** Tells a topic at once, and then at most once in 250 ms however often it changes. */
function createChangedTopics(clock: Clock, tell: (topic: Topic) => void): ChangedTopics {
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

/** One client of the event stream. */
interface EventStream {
  /** A client that is too far behind is cut off; it comes back with the id of the last event it got. */
  send(frame: string): void;
  /** What may be missed: left out for a client that is behind. */
  sendIfQuick(frame: string): void;
  end(): void;
  /** Nothing more goes to this client, not even what is on its way. */
  cut(): void;
  /** Resolves when the client is gone. */
  readonly closed: Promise<void>;
}

export interface StreamParts {
  readonly feed: JournalFeed;
  readonly journal: Pick<JournalReader, "cursor">;
  readonly clock: Clock;
}

/** So far behind a client may be. */
const mostBehind = 1024 * 1024;
const quickBehind = 256 * 1024;
/** A client that takes nothing at all for so long while it is told what it missed is gone. */
const stalledMs = 30_000;
const lookAgainMs = 100;

/** `lastId`: what the client got last; what came since is told first. Null: from now on. */
function openEventStream(response: ServerResponse, lastId: string | null, parts: StreamParts): EventStream {
  const closed = Promise.withResolvers<void>();
  let leave: (() => void) | undefined;
  let isOver = false;
  let pending = "";
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    ...guardHeaders,
  });
  response.write("retry: 1000\n\n");
  response.once("close", () => {
    isOver = true;
    leave?.();
    closed.resolve();
  });

  /** What comes in one turn of the event loop is one write: with many clients, writes are what costs. */
  function send(frame: string): void {
    if (pending === "") setImmediate(flush);
    pending += frame;
  }

  function flush(): void {
    const frames = pending;
    pending = "";
    if (isOver || frames === "") return;
    if (response.writableLength > mostBehind) response.destroy();
    else response.write(frames);
  }

  async function begin(): Promise<void> {
    const after = lastId === null ? null : parsePlace(lastId);
    const remembered = after ? parts.feed.placeAfter(after) : undefined;
    if (remembered) return join(remembered);
    if (after && (await catchUp(after))) return;
    if (lastId !== null) send(resetFrame);
    join(parts.feed.head);
  }

  function join(from: EntryPlace): void {
    if (!isOver) leave = parts.feed.join(from, send);
  }

  /** What the feed does not remember is read in the journal. False: the entry is not there any more. */
  async function catchUp(after: EntryPlace): Promise<boolean> {
    const cursor = await parts.journal.cursor(after);
    if (!cursor) return false;
    try {
      while (!isOver) {
        const entries = await cursor.read();
        if (entries === null) return false;
        if (isOver) break;
        for (const entry of entries) response.write(logFrame(entry));
        if (response.writableNeedDrain) await drained(response, parts.clock);
        if (isOver) break;
        join(cursor.place);
        if (leave) break;
        if (entries.length === 0) await pause(parts.clock);
      }
      return true;
    } finally {
      await cursor.close();
    }
  }

  begin().catch(() => response.destroy());
  return {
    send,
    sendIfQuick(frame) {
      if (response.writableLength + pending.length <= quickBehind) send(frame);
    },
    end() {
      flush();
      isOver = true;
      response.end();
    },
    cut() {
      isOver = true;
      response.destroy();
    },
    closed: closed.promise,
  };
}

async function drained(response: ServerResponse, clock: Clock): Promise<void> {
  const enough = new AbortController();
  const cancel = clock.after(stalledMs, () => response.destroy());
  try {
    await Promise.race(["drain", "close"].map((event) => once(response, event, { signal: enough.signal })));
  } finally {
    cancel();
    enough.abort();
  }
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(lookAgainMs, resolve));
}
