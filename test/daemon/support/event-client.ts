import { request as httpRequest, type IncomingMessage } from "node:http";
import type { TestContext } from "node:test";
import { afterTest } from "../../support/after-test.ts";

export interface SentEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: Record<string, unknown>;
}

/** A client of the event stream that keeps what it got. */
export interface EventClient {
  readonly status: number;
  readonly events: readonly SentEvent[];
  /** All that came, as it came. */
  readonly text: () => string;
  of(event: string): SentEvent[];
  /** Resolves when the server has ended or cut it. */
  readonly closed: Promise<void>;
  readonly response: IncomingMessage;
  leave(): void;
}

export interface EventRequest {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
}

export async function followEvents(t: TestContext, { port, headers, query = "" }: EventRequest): Promise<EventClient> {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const closed = Promise.withResolvers<void>();
  const request = httpRequest({ host: "127.0.0.1", port, path: `/api/events${query}`, headers, agent: false });
  request.on("response", arrived.resolve);
  request.on("error", arrived.reject);
  request.on("close", () => closed.resolve());
  request.end();
  afterTest(t, () => Promise.resolve(request.destroy()));
  const response = await arrived.promise;
  const events: SentEvent[] = [];
  let all = "";
  let rest = "";
  response.setEncoding("utf8").on("data", (piece: string) => {
    all += piece;
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const event = parse(block);
      if (event) events.push(event);
    }
  });
  response.on("error", () => undefined);
  return {
    status: response.statusCode!,
    events,
    text: () => all,
    of: (name) => events.filter(({ event }) => event === name),
    closed: closed.promise,
    response,
    leave: () => request.destroy(),
  };
}

function parse(block: string): SentEvent | null {
  const fields = Object.fromEntries(
    block.split("\n").map((line) => {
      const at = line.indexOf(": ");
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  if (fields["event"] === undefined) return null;
  return { event: fields["event"], id: fields["id"] ?? null, data: JSON.parse(fields["data"]!) as SentEvent["data"] };
}
