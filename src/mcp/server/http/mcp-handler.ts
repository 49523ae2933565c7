import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler, type Server } from "@modelcontextprotocol/server";
import { exchange } from "../../../http/web-exchange.ts";
import { createServer, type ServerParts } from "../create-mcp-server.ts";
import { inOneSentence } from "../in-one-sentence.ts";
import { maxMessageBytes } from "../line-transport.ts";

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
