import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler, type Server } from "@modelcontextprotocol/server";
import { messageOf } from "../../../core/errors.ts";
import { isSameSecret, readBearer, tokenWanted } from "../../../http/bearer.ts";
import { checkHost } from "../../../http/check-host.ts";
import { createLimitedServer } from "../../../http/create-server.ts";
import { listenOn, type ListenPlace } from "../../../http/listen.ts";
import { refuse, type Refusal } from "../../../http/refusal.ts";
import { exchange } from "../../../http/web-exchange.ts";
import { createServer, type ServerParts } from "../create-mcp-server.ts";
import { maxMessageBytes } from "../line-transport.ts";
import { inOneSentence } from "../offer-tool.ts";

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

/** A server for MCP alone. */
export async function serveHttp(parts: ServerParts, options: HttpOptions): Promise<HttpDoor> {
  const { listen, token, onError } = options;
  const handler = openMcpHandler(parts, onError);
  let hosts: readonly string[] = [];
  const server = createLimitedServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refusal = checkHost(request, hosts) ?? checkRequest(request, token);
      if (refusal) refuse(request, response, { ...refusal, body: errorOf(refusal.sentence) });
      else {
        if (request.headers.expect !== undefined) response.writeContinue();
        await handler.answer(request, response);
      }
    } catch (thrown) {
      onError(thrown instanceof Error ? thrown : new Error(messageOf(thrown)));
      response.destroy();
    }
  }

  const listening = await listenOn(server, listen, "MCP");
  hosts = listening.hosts;
  return {
    url: "socketPath" in listen ? `unix:${listen.socketPath}` : `${listening.origin}${endpoint}`,
    async close() {
      const closed = listening.close();
      await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Why a request is not let in; undefined when it is. */
function checkRequest(request: IncomingMessage, token: string): Refusal | undefined {
  if (request.url !== endpoint) return { status: 404, sentence: `There is only ${endpoint} here.` };
  const given = readBearer(request.headers.authorization);
  if (given === undefined || !isSameSecret(given, token)) return tokenWanted;
  // There are no sessions, so there is nothing to listen to and nothing to delete.
  if (request.method !== "POST") {
    return { status: 405, sentence: "Only POST is answered here.", headers: { allow: "POST" } };
  }
  return undefined;
}

function errorOf(message: string): object {
  return { jsonrpc: "2.0", id: null, error: { code: -32_000, message } };
}

export interface McpHandler {
  /** For a request that was let in already. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

export const endpoint = "/mcp";

/** MCP over Streamable HTTP, without sessions: any request may be the first one after a restart. */
export function openMcpHandler(parts: ServerParts, onError: (error: Error) => void): McpHandler {
  const handler = createMcpHandler(({ era }) => answeringInSentences(createServer(parts, era)), {
    onerror: onError,
    maxRequestBodySize: maxMessageBytes,
  });
  return {
    answer: (request, response) => exchange(request, response, handler.fetch),
    close: () => handler.close(),
  };
}

/** The package makes the transports of HTTP itself, one for each request: only here they pass by. */
function answeringInSentences(server: Server): Server {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(inOneSentence(message), options);
    return connect(transport);
  };
  return server;
}
