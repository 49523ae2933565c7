import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { exchange } from "../../http/web-exchange.ts";
import { createServer, type ServerParts } from "../create-server.ts";
import { maxMessageBytes } from "../line-transport.ts";

export interface McpHandler {
  /** For a request that was let in already. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

export const endpoint = "/mcp";

/** MCP over Streamable HTTP, without sessions: any request may be the first one after a restart. */
export function openMcpHandler(parts: ServerParts, onError: (error: Error) => void): McpHandler {
  const handler = createMcpHandler(({ era }) => createServer(parts, era), {
    onerror: onError,
    maxRequestBodySize: maxMessageBytes,
  });
  return {
    answer: (request, response) => exchange(request, response, handler.fetch),
    close: () => handler.close(),
  };
}
