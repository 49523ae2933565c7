import type { IncomingMessage } from "node:http";
import { type Channel, type OnMessage, readEvents } from "./channel.ts";
import { type HttpDoor, type HttpPlace, mediaTypeOf, openHttpDoor, problemOfStatus, readText } from "./http-door.ts";
import {
  asText,
  isRequest,
  isResponse,
  McpProblem,
  parseMessages,
  type RpcId,
  type RpcMessage,
} from "../mcp-json-rpc.ts";
import { quoteText } from "../../../guard/terminal-text/quote-text.ts";
import type { HttpTransport } from "../server-setting.ts";

/** Streamable HTTP: each message is a POST, and the answer to a request comes on its own stream. Throws an McpProblem for a wrong URL. */
export function openHttpChannel(place: HttpPlace, { url, headers }: HttpTransport, onMessage: OnMessage): Channel {
  const door = openHttpDoor(place, url);
  const ending = Promise.withResolvers<string>();
  const closing = new AbortController();
  let session: string | undefined;
  let version: string | undefined;
  let stopWaiting: (() => void) | undefined;

  function headersFor(message: RpcMessage | null): Record<string, string> {
    return {
      ...headers,
      ...(session === undefined ? {} : { "mcp-session-id": session }),
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
      ...(message === null || version === undefined || version < statelessSince ? {} : routingHeaders(message)),
    };
  }

  async function post(message: RpcMessage, signal: AbortSignal): Promise<void> {
    const response = await door.send({
      method: "POST",
      headers: {
        ...headersFor(message),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(message),
      signal,
    });
    const given = response.headers["mcp-session-id"];
    if (typeof given === "string") session = given;
    const asked = isRequest(message) ? message.id : undefined;
    const isAnswered = await read(response, asked);
    if (asked !== undefined && !isAnswered) throw new McpProblem("lost", "ended the connection without an answer.");
  }

  async function read(response: IncomingMessage, asked: RpcId | undefined): Promise<boolean> {
    const { statusCode = 0 } = response;
    const isFine = statusCode >= 200 && statusCode < 300;
    let isAnswered = false;
    const take = (text: string): boolean => {
      const messages = parseMessages(text);
      for (const message of messages ?? []) {
        if (isResponse(message)) isAnswered = true;
        onMessage(message, asked);
      }
      return messages !== undefined;
    };
    if (isFine && mediaTypeOf(response) === "text/event-stream") {
      await readEvents(response, ({ data }) => void take(data));
      return isAnswered;
    }
    const body = await readText(response, isFine ? undefined : 64 * 1024);
    if (statusCode === 404 && session !== undefined) {
      throw new McpProblem("expired", "does not know this session any more.");
    }
    if (!isFine) {
      // An error of the protocol comes with a status of its own.
      const errors = asked === undefined ? undefined : parseMessages(body);
      for (const message of errors ?? [])
        if (isResponse(message)) return take(JSON.stringify({ ...message, id: asked }));
      throw problemOfStatus(response, body);
    }
    if (body.trim() !== "" && !take(body)) {
      throw new McpProblem("protocol", `answered with something that is not MCP: ${quoteText(body, 80)}`);
    }
    return isAnswered;
  }

  /** What it says unasked. Most servers have nothing to say and refuse. */
  async function hear(): Promise<void> {
    const signal = closing.signal;
    const response = await door.send({
      method: "GET",
      headers: { ...headersFor(null), accept: "text/event-stream" },
      signal,
    });
    if (response.statusCode !== 200 || mediaTypeOf(response) !== "text/event-stream") return void response.destroy();
    await readEvents(response, ({ data }) => parseMessages(data)?.forEach((message) => onMessage(message, undefined)));
    if (!signal.aborted) stopWaiting = place.clock.after(5000, () => void hear().catch(ignore));
  }

  return {
    process: null,
    send: (message, signal) => post(message, signal === undefined ? closing.signal : signal),
    useVersion: (next) => void (version = next),
    listen: () => void hear().catch(ignore),
    ended: ending.promise,
    noise: () => null,
    close: () => end(true),
    stop: () => end(false),
  };

  async function end(politely: boolean): Promise<null> {
    closing.abort();
    stopWaiting?.();
    if (politely && session !== undefined) await sayGoodbye(door, headersFor(null), place);
    door.close();
    ending.resolve("was closed.");
    return null;
  }
}

/** Since then a server keeps no session, and each request says all there is to know. */
const statelessSince = "2026-07-28";

/** For balancers, which do not look into bodies. */
function routingHeaders(message: RpcMessage): Record<string, string> {
  if (isResponse(message)) return {};
  const name = asText(message.params?.["name"]);
  return { "mcp-method": message.method, ...(name === undefined ? {} : { "mcp-name": headerText(name) }) };
}

function headerText(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) && !text.startsWith("=?")
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

async function sayGoodbye(door: HttpDoor, headers: Record<string, string>, { clock }: HttpPlace): Promise<void> {
  const patience = new AbortController();
  const cancel = clock.after(1000, () => patience.abort());
  try {
    (await door.send({ method: "DELETE", headers, signal: patience.signal })).resume();
  } catch {
    // It forgets us by itself.
  } finally {
    cancel();
  }
}

function ignore(): void {
  // Hearing what nobody asked for is a comfort: what a request says is what counts.
}
