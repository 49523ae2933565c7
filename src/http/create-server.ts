import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export interface ServerLimits {
  /** Whoever sends a byte a second is not waited for. */
  readonly headersMs: number;
  readonly requestMs: number;
  readonly connections: number;
  /** Whoever takes nothing of an answer for so long is cut off. */
  readonly stalledMs: number;
}

export const defaultLimits: ServerLimits = {
  headersMs: 10_000,
  requestMs: 60_000,
  connections: 256,
  stalledMs: 30_000,
};

/** How often the server looks for those who are too slow. */
const lookEveryMs = 1000;

/**
 * So many requests may come on one connection before the first has its answer. Without a limit, a thousand of them in one packet
 * are a thousand answers that wait in memory for somebody who never reads them.
 */
const mostPipelined = 16;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A server that nobody can hold up. Node's own limit for headers, 16 kB, stays. `answer` also gets requests that wait for
 * `100 Continue`, and says that itself: who asks first whether a large body is wanted hears what speaks against it.
 */
export function createLimitedServer(answer: Answer, limits: ServerLimits = defaultLimits): Server {
  const server = createServer({
    connectionsCheckingInterval: Math.min(lookEveryMs, limits.headersMs),
    // An offer of HTTP/2, as some clients make it with every request, is not taken, and no reason to refuse the request.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
  });
  server.headersTimeout = limits.headersMs;
  server.requestTimeout = limits.requestMs;
  server.maxConnections = limits.connections;
  const underWay = new WeakMap<Duplex, number>();

  function take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const count = (underWay.get(socket) ?? 0) + 1;
    if (count > mostPipelined) {
      socket.destroy();
      return;
    }
    underWay.set(socket, count);
    response.once("close", () => underWay.set(socket, underWay.get(socket)! - 1));
    answer(request, response);
  }

  server.on("request", take);
  server.on("checkContinue", take);
  server.on("upgrade", refuseUpgrade);
  server.setTimeout(limits.stalledMs, (socket) => {
    // A call that is under way may be silent for as long as it takes.
    if (socket.writableLength > 0 || (underWay.get(socket) ?? 0) === 0) socket.destroy();
  });
  return server;
}

/** No WebSocket, for nobody: Origin is the only thing that would keep web pages out of it. */
function refuseUpgrade(_: IncomingMessage, socket: Duplex): void {
  const body = JSON.stringify({ error: { code: "FORBIDDEN", message: "No WebSocket is opened here, for nobody." } });
  const head = `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.on("error", () => undefined);
  socket.end(head + body, () => socket.destroy());
}
