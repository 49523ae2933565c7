import { request, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Sends a GET over a connection that is open already. No cookies, no credentials, no header of anybody else. */
export function sendRequest(
  stream: Duplex,
  url: URL,
  {
    accept,
    proxyHeaders = null,
    signal,
  }: {
    readonly accept: string;
    /** Given: the connection leads to a proxy, which is told the whole URL. */
    readonly proxyHeaders?: Readonly<Record<string, string>> | null;
    readonly signal: AbortSignal;
  },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request({
    // Without an agent there is no pool that could hand out another connection.
    createConnection: () => stream,
    method: "GET",
    host: url.hostname,
    path: `${proxyHeaders === null ? "" : url.origin}${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      "user-agent": "deckhand",
      accept,
      "accept-encoding": "gzip, deflate, br",
      connection: "close",
      ...proxyHeaders,
    },
    maxHeaderSize: 32 * 1024,
    signal,
  });
  outgoing.once("response", resolve);
  outgoing.on("error", reject);
  // Also when the server wants to speak another protocol (101).
  outgoing.once("close", () => reject(new Error("it was closed without an answer")));
  outgoing.end();
  return promise;
}
