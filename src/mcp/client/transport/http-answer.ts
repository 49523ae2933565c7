import type { IncomingMessage } from "node:http";
import { McpProblem } from "../mcp-problem.ts";
import { quoteText } from "../../../guard/terminal-text/quote-text.ts";

/** What the longest answer in one piece may have. */
const mostBytes = 64 * 1024 * 1024;

export async function readText(response: IncomingMessage, limit = mostBytes): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > limit) {
      response.destroy();
      throw new McpProblem("protocol", `sent an answer of more than ${limit / 1024 / 1024} MB.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** A status that is no success, as a problem. Nothing was done for any of them but the last. */
export function problemOfStatus(response: IncomingMessage, body: string): McpProblem {
  const { statusCode = 0, headers } = response;
  const said = quoteText(body, 200);
  if (statusCode >= 300 && statusCode < 400) {
    const to = quoteText(headers.location ?? "elsewhere", 200);
    return new McpProblem(
      "unavailable",
      `is redirected to ${to}: put that URL into the settings if it is the right one.`,
    );
  }
  if (statusCode === 401 || statusCode === 403) {
    return new McpProblem(
      "unavailable",
      `wants to be authorized (HTTP ${statusCode}): put a token into its "headers", as in "Authorization": "Bearer \${TOKEN}".`,
    );
  }
  if (statusCode === 404 || statusCode === 405) {
    return new McpProblem(
      "unavailable",
      `has no MCP at this URL (HTTP ${statusCode}): correct "url", or set "type" to "sse" for an older server.`,
    );
  }
  const kind = statusCode >= 500 ? "lost" : "unavailable";
  return new McpProblem(kind, `answered with HTTP ${statusCode}${said === "" ? "" : `: ${said}`}.`);
}

export function mediaTypeOf({ headers }: IncomingMessage): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
}
