import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import type { EntryPlace, JournalReader } from "../../records/audit-log/log-reader.ts";
import { guardHeaders } from "../server/send.ts";
import { logFrame, parsePlace, resetFrame } from "./event-frame.ts";
import type { JournalFeed } from "./journal-feed.ts";

/** One client of the event stream. */
export interface EventStream {
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
export function openEventStream(response: ServerResponse, lastId: string | null, parts: StreamParts): EventStream {
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
