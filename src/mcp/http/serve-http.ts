import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { messageOf } from "../../core/errors.ts";
import { createServer, type ServerParts } from "../create-server.ts";
import { maxMessageBytes } from "../line-transport.ts";
import { checkRequest, endpoint, type Refusal } from "./check-request.ts";
import { listenOn, loopback, type ListenPlace } from "./listen.ts";
import { exchange } from "./web-exchange.ts";

export interface HttpOptions {
  readonly listen: ListenPlace;
  readonly token: string;
  readonly onError: (error: Error) => void;
}

export interface HttpDoor {
  /** What a client is told; `unix:PATH` for a socket. */
  readonly url: string;
  close(): Promise<void>;
}

/** Whoever sends a byte a second is not waited for. */
const headersMs = 10_000;
const requestMs = 60_000;
const mostConnections = 256;

/** MCP over Streamable HTTP, without sessions: any request may be the first one after a restart. */
export async function serveHttp(parts: ServerParts, options: HttpOptions): Promise<HttpDoor> {
  const { listen, token, onError } = options;
  const handler = createMcpHandler(({ era }) => createServer(parts, era), {
    onerror: onError,
    maxRequestBodySize: maxMessageBytes,
  });
  let hosts: readonly string[] = [];
  const server = createHttpServer((request, response) => void answer(request, response));
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  server.maxConnections = mostConnections;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refusal = checkRequest(request, { hosts, token });
      if (refusal) refuse(request, response, refusal);
      else await exchange(request, response, handler.fetch);
    } catch (thrown) {
      onError(thrown instanceof Error ? thrown : new Error(messageOf(thrown)));
      response.destroy();
    }
  }

  await listenOn(server, listen);
  const port = "port" in listen ? (server.address() as AddressInfo).port : undefined;
  hosts = port === undefined ? ["localhost"] : [loopback, "localhost", "[::1]"].map((host) => `${host}:${port}`);
  return {
    url: "socketPath" in listen ? `unix:${listen.socketPath}` : `http://${loopback}:${port}${endpoint}`,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      await handler.close();
      server.closeAllConnections();
      await promise;
    },
  };
}

/** As short as it can be, and always the end of the connection: the rest of such a request is not wanted. */
function refuse(request: IncomingMessage, response: ServerResponse, { status, sentence, headers }: Refusal): void {
  request.resume();
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message: sentence } });
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers }).end(body);
}
