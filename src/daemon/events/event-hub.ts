import type { ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import type { RuntimeEvent } from "../../core/events.ts";
import { toWire } from "../../core/wire.ts";
import type { JournalReader } from "../../records/audit-log/log-reader.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { HttpError } from "../server/http-error.ts";
import { createChangedTopics, topicsOfEntry, topicsOfEvent, type Topic } from "./changed-topics.ts";
import { frameOf } from "./event-frame.ts";
import { openEventStream, type EventStream } from "./event-stream.ts";
import { openJournalFeed } from "./journal-feed.ts";

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
