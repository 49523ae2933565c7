import type { Channel } from "./transport/channel.ts";
import type { Connection } from "./server-connection.ts";
import { asFields, asText, type Fields } from "./mcp-json-rpc.ts";
import { McpProblem } from "./mcp-problem.ts";
import { quoteText } from "../../guard/terminal-text/quote-text.ts";

export interface Greeting {
  readonly protocolVersion: string;
  readonly hasTools: boolean;
}

/** Newest first; a server answers with the newest that it knows. */
const withHandshake = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
const stateless = "2026-07-28";

const capabilities = { roots: {}, elicitation: { form: {} } };

/**
 * Agrees with the server on a version. Almost every server knows `initialize`, and some of the older ones end or fall silent when
 * anything else comes first; so it is asked first, and only who refuses it is asked in the words of 2026-07-28. Rejects with an McpProblem.
 */
export async function greetServer(
  { connection, channel }: { readonly connection: Connection; readonly channel: Channel },
  { version, timeoutMs }: { readonly version: string; readonly timeoutMs: number },
): Promise<Greeting> {
  const clientInfo = { name: "deckhand", version };
  const ask = { protocolVersion: withHandshake[0], capabilities, clientInfo };
  try {
    const result = await connection.ask("initialize", ask, { timeoutMs }).answer;
    const protocolVersion = asText(result["protocolVersion"]) ?? "";
    if (!withHandshake.includes(protocolVersion)) throw unknownVersion(protocolVersion);
    channel.useVersion(protocolVersion);
    connection.notify("notifications/initialized");
    channel.listen();
    return { protocolVersion, hasTools: offersTools(result) };
  } catch (thrown) {
    if (!(thrown instanceof McpProblem) || thrown.kind !== "refused") throw thrown;
    return discover({ connection, channel }, { clientInfo, timeoutMs, refusal: thrown });
  }
}

async function discover(
  { connection, channel }: { readonly connection: Connection; readonly channel: Channel },
  how: { readonly clientInfo: Fields; readonly timeoutMs: number; readonly refusal: McpProblem },
): Promise<Greeting> {
  connection.useMeta({
    "io.modelcontextprotocol/protocolVersion": stateless,
    "io.modelcontextprotocol/clientInfo": how.clientInfo,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  });
  channel.useVersion(stateless);
  let result: Fields;
  try {
    result = await connection.ask("server/discover", {}, { timeoutMs: how.timeoutMs }).answer;
  } catch (thrown) {
    // Who knows neither is an older server that refused for a reason of its own: that one is told.
    throw thrown instanceof McpProblem && thrown.kind === "refused" ? how.refusal : thrown;
  }
  const known = result["supportedVersions"];
  if (Array.isArray(known) && !known.includes(stateless)) throw unknownVersion(known.join(", "));
  // An answer that never comes: as long as it is open, the server tells when its tools change.
  connection.ask("subscriptions/listen", { notifications: { toolsListChanged: true } }).answer.catch(() => undefined);
  return { protocolVersion: stateless, hasTools: offersTools(result) };
}

function offersTools(result: Fields): boolean {
  return asFields(asFields(result["capabilities"])?.["tools"]) !== undefined;
}

function unknownVersion(version: string): McpProblem {
  const known = [stateless, ...withHandshake].join(", ");
  return new McpProblem("protocol", `speaks version "${quoteText(version, 60)}" of MCP; known here are ${known}.`);
}
