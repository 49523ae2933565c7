import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

export interface ServerLimits {
  /** Whoever sends a byte a second is not waited for. */
  readonly headersMs: number;
  readonly requestMs: number;
  readonly connections: number;
}

const defaultLimits: ServerLimits = { headersMs: 10_000, requestMs: 60_000, connections: 256 };

/** How often the server looks for those who are too slow. */
const lookEveryMs = 1000;

/** A server that nobody can hold up. Node's own limit for headers, 16 kB, stays. */
export function createLimitedServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  limits: ServerLimits = defaultLimits,
): Server {
  const server = createServer({ connectionsCheckingInterval: Math.min(lookEveryMs, limits.headersMs) }, answer);
  server.headersTimeout = limits.headersMs;
  server.requestTimeout = limits.requestMs;
  server.maxConnections = limits.connections;
  return server;
}
