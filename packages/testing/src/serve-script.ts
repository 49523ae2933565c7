import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { systemClock, type Clock } from "../../../src/core/clock.ts";
import { messageOf } from "../../../src/core/errors.ts";
import type { Message } from "../../../src/core/message.ts";
import { toWire } from "../../../src/core/wire.ts";
import { checkScript } from "./check-script.ts";
import { sleepInTime } from "./create-scripted-model.ts";
import { estimateInput } from "./estimate-usage.ts";
import { describeModels, findRoute, type Route } from "./find-protocol.ts";
import { createPlayer, type Sleep } from "./play-script.ts";
import { RequestProblem, type JsonRecord, type Protocol, type ProtocolName } from "./protocols/served-protocol.ts";
import { readBody } from "./read-request-body.ts";
import type { Script } from "./script.ts";
import { sendFailure, sendJson, sendStream, sendWhole } from "./send-reply.ts";

export interface ServeOptions {
  /** Left out: any that is free. */
  readonly port?: number;
  /** Left out: this machine only. */
  readonly host?: string;
  readonly sleep?: Sleep;
  readonly clock?: Clock;
}

export interface ScriptServer {
  /** Without a path; clients of OpenAI want `/v1` behind it. */
  readonly url: string;
  /** What was asked, in order; the last 1,000. */
  readonly requests: readonly ServedRequest[];
  close(): Promise<void>;
}

export interface ServedRequest {
  readonly protocol: ProtocolName;
  readonly path: string;
  /** Without keys. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  /** The names of the tools it offers. */
  readonly tools: readonly string[];
  readonly isStreamed: boolean;
}

/** Serves a script in the protocols of Anthropic, OpenAI (both) and Gemini. Throws MODEL_INVALID when it makes no sense. */
export async function serveScript(script: Script, options: ServeOptions = {}): Promise<ScriptServer> {
  const { host = "127.0.0.1", port = 0, clock = systemClock } = options;
  const play = createPlayer(checkScript(toWire(script), "This"), options.sleep ?? sleepInTime);
  const requests: ServedRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, { play, requests, clock });
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (thrown) {
    throw new Error(`The script can't be served on ${host}, port ${port}: ${messageOf(thrown)}.`, { cause: thrown });
  }
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`,
    requests,
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Serving {
  readonly play: ReturnType<typeof createPlayer>;
  readonly requests: ServedRequest[];
  readonly clock: Clock;
}

async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const method = request.method ?? "GET";
  const path = (request.url ?? "/").replace(/[?#].*$/s, "");
  const route = findRoute(method, path, "anthropic-version" in request.headers);
  // Some clients look whether anybody is there.
  if (!route && path === "/") return sendJson(response, {});
  if (!route) return sendJson(response, unknownPath(method, path), { status: 404 });
  if (route.kind === "models") return sendJson(response, describeModels(route));
  try {
    await answerPost({ request, response, path, route }, serving);
  } catch (thrown) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const kind = thrown instanceof RequestProblem ? "rejected" : "server";
    const status = kind === "rejected" ? 400 : 500;
    sendFailure(response, { kind, message: messageOf(thrown), status, retryAfterMs: null }, route.protocol);
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly route: Extract<Route, { kind: "reply" | "count" }>;
}

async function answerPost({ request, response, path, route }: Exchange, serving: Serving): Promise<void> {
  const { protocol } = route;
  const body = await readBody(request);
  if (route.kind === "count") return sendJson(response, countTokens(protocol, body, path));
  const { model, isStreamed, ...read } = protocol.read(body, path);
  const { requests } = serving;
  const tools = read.tools.map(({ name }) => name);
  const { system, messages } = read;
  const headers = openHeaders(request);
  requests.push({ protocol: protocol.name, path, headers, body, model, system, messages, tools, isStreamed });
  if (requests.length > keptRequests) requests.shift();

  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const steps = serving.play({ ...read, conversationId: "", signal: gone.signal });
  const reply = { id: nextReplyId(), model, createdAt: serving.clock.now(), body };
  await (isStreamed ? sendStream : sendWhole)(response, steps, { protocol, reply });
}

const keptRequests = 1000;
let replies = 0;

/** Unique in this process. */
function nextReplyId(): string {
  return `script${String(++replies).padStart(6, "0")}`;
}

function countTokens(protocol: Protocol, body: JsonRecord, path: string): unknown {
  const inner = (body["generateContentRequest"] ?? body) as JsonRecord;
  const tokens = estimateInput(protocol.read(inner, path));
  return protocol.name === "gemini" ? { totalTokens: tokens } : { input_tokens: tokens };
}

function openHeaders({ headers }: IncomingMessage): Record<string, string> {
  const open = Object.entries(headers).filter(([name]) => !/authorization|api-key|cookie|token|secret/i.test(name));
  return Object.fromEntries(open.map(([name, value]) => [name, String(value)]));
}

function unknownPath(method: string, path: string): unknown {
  const message =
    `Nothing is served at ${method} ${path}; there are POST /v1/messages, /v1/chat/completions, /v1/responses and ` +
    "/v1beta/models/NAME:generateContent or :streamGenerateContent.";
  return { error: { message, type: "invalid_request_error", param: null, code: "not_found" } };
}
