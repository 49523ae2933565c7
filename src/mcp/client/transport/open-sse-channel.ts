import { type Channel, type OnMessage, readEvents } from "./channel.ts";
import { type HttpPlace, mediaTypeOf, openHttpDoor, problemOfStatus, readText } from "./http-door.ts";
import { McpProblem, parseMessages } from "../mcp-json-rpc.ts";
import type { HttpTransport } from "../server-setting.ts";

/** The transport of 2024-11-05: one stream that says where to send messages and brings all answers. Rejects with an McpProblem. */
export async function openSseChannel(
  place: HttpPlace,
  { url, headers }: HttpTransport,
  { onMessage, signal: giveUp }: { readonly onMessage: OnMessage; readonly signal: AbortSignal },
): Promise<Channel> {
  const door = openHttpDoor(place, url);
  const closing = new AbortController();
  giveUp.addEventListener("abort", () => closing.abort(), { once: true });
  const endpoint = Promise.withResolvers<string>();
  let version: string | undefined;
  // Whoever waits for it is told below; a stream that never opens has nobody.
  endpoint.promise.catch(() => undefined);
  const stream = await door.send({
    method: "GET",
    headers: { ...headers, accept: "text/event-stream" },
    signal: closing.signal,
  });
  if (stream.statusCode !== 200 || mediaTypeOf(stream) !== "text/event-stream") {
    const problem = problemOfStatus(stream, await readText(stream, 64 * 1024));
    door.close();
    throw stream.statusCode === 200
      ? new McpProblem("protocol", "answered with something else than a stream of events.")
      : problem;
  }
  const ended = readEvents(stream, ({ type, data }) => {
    if (type === "endpoint") endpoint.resolve(data);
    else parseMessages(data)?.forEach((message) => onMessage(message, undefined));
  }).then(() => {
    endpoint.reject(new McpProblem("lost", "ended its stream of events."));
    return "ended its stream of events.";
  });

  async function post(body: string, signal: AbortSignal): Promise<void> {
    const target = URL.parse(await endpoint.promise, door.url.href);
    if (target?.origin !== door.url.origin) {
      throw new McpProblem("protocol", "wants messages to be sent to another host than its own, which is not done.");
    }
    const response = await door.send({
      method: "POST",
      path: target.pathname + target.search,
      headers: {
        ...headers,
        "content-type": "application/json",
        ...(version === undefined ? {} : { "mcp-protocol-version": version }),
      },
      body,
      signal,
    });
    const text = await readText(response, 64 * 1024);
    if ((response.statusCode ?? 0) >= 300) throw problemOfStatus(response, text);
  }

  const end = (): Promise<null> => {
    closing.abort();
    door.close();
    return Promise.resolve(null);
  };
  return {
    process: null,
    send: (message, signal) => post(JSON.stringify(message), signal ?? closing.signal),
    useVersion: (next) => void (version = next),
    listen() {},
    ended,
    noise: () => null,
    close: end,
    stop: end,
  };
}
