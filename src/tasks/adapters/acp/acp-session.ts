import type { Readable, Writable } from "node:stream";
import { messageOf } from "../../../core/errors.ts";
import { listAt, textAt, valueAt } from "../read-event.ts";

/** What the adapter tells the driver, in a file. */
export interface DriverOrder {
  readonly message: string;
  readonly systemPrompt: string | null;
  readonly model: string | null;
  readonly cwd: string;
  readonly resume: string | null;
  readonly bypassesPermissions: boolean;
}

/** What the driver prints, one per line. */
export type DriverEvent =
  | { readonly type: "session"; readonly session_id: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly title: string }
  | { readonly type: "end"; readonly ok: true; readonly stop_reason: string }
  | { readonly type: "end"; readonly ok: false; readonly error: string };

interface RpcPeer {
  /** Rejects with an RpcError when the other side says no, and when it is gone. */
  request(method: string, params: unknown): Promise<unknown>;
  /** Nothing more is said to it; resolves when it has nothing more to say either. */
  close(): Promise<void>;
}

export interface RpcListener {
  /** What it gives is the answer. */
  onRequest(method: string, params: unknown): unknown;
  onNotification(method: string, params: unknown): void;
}

class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A line that is longer is no message: an agent that never ends one must not fill the memory. */
const maxLineCharacters = 64 * 1024 * 1024;

/** JSON-RPC 2.0, one message a line. What is no message is passed over. */
function openRpcPeer(input: Readable, output: Writable, listener: RpcListener): RpcPeer {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ended = Promise.withResolvers<void>();
  let lastId = 0;
  let rest = "";
  input.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
    if (rest.length > maxLineCharacters) input.destroy(new Error("a line without an end"));
  });
  const onEnd = (): void => {
    for (const caller of waiting.values()) caller.reject(new RpcError(0, "it ended before it answered"));
    waiting.clear();
    ended.resolve();
  };
  input.on("end", onEnd).on("error", onEnd).on("close", onEnd);
  // It ended while we wrote; the end of its output tells that.
  output.on("error", () => {});
  return {
    request(method, params) {
      if (input.readableEnded || input.destroyed) return Promise.reject(new RpcError(0, "it has ended"));
      const id = ++lastId;
      const caller = Promise.withResolvers<unknown>();
      waiting.set(id, caller);
      send({ id, method, params });
      return caller.promise;
    },
    close() {
      output.end();
      return ended.promise;
    },
  };

  function send(message: object): void {
    output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  function take(line: string): void {
    const message = parse(line);
    if (!message) return;
    const { id, method, params } = message;
    if (typeof method === "string") {
      if (id === undefined) return listener.onNotification(method, params);
      return answer(id, method, params);
    }
    const caller = typeof id === "number" ? waiting.get(id) : undefined;
    if (!caller) return;
    waiting.delete(id as number);
    if (message.error === undefined) return caller.resolve(message.result);
    caller.reject(new RpcError(Number(message.error?.code ?? 0), describeError(message.error)));
  }

  function answer(id: unknown, method: string, params: unknown): void {
    try {
      send({ id, result: listener.onRequest(method, params) });
    } catch (thrown) {
      const error = thrown instanceof RpcError ? thrown : new RpcError(-32603, "Internal error");
      send({ id, error: { code: error.code, message: error.message } });
    }
  }
}

interface RpcMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } | null;
}

function parse(line: string): RpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function describeError(error: RpcMessage["error"]): string {
  const message = typeof error?.message === "string" ? error.message : "an error without a message";
  if (error?.data === undefined || error.data === null) return message;
  return `${message}: ${typeof error.data === "string" ? error.data : JSON.stringify(error.data)}`;
}

export interface AgentStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** How long the agent may take to say that it is one; two minutes when left out, since some are installed as they start. */
  readonly helloMs?: number;
}

/** One prompt in one session of an ACP agent (protocol version 1), told event by event; `end` comes last, whatever happens. */
export async function holdSession(
  order: DriverOrder,
  streams: AgentStreams,
  tell: (event: DriverEvent) => void,
): Promise<void> {
  /** What a loaded session replays was said before. */
  let isAnswering = false;
  let updates = 0;
  const agent = openRpcPeer(streams.input, streams.output, {
    onRequest(method, params) {
      if (method !== "session/request_permission") throw new RpcError(-32601, `Method not found: ${method}`);
      return { outcome: choose(listAt(params, "options"), order.bypassesPermissions) };
    },
    onNotification(method, params) {
      if (method !== "session/update") return;
      updates += 1;
      if (isAnswering) tellUpdate(valueAt(params, "update"), tell);
    },
  });
  try {
    const hello = await inTime(sayHello(agent), streams.helloMs ?? usualHelloMs);
    const sessionId = await openSession(agent, order, hello);
    tell({ type: "session", session_id: sessionId });
    if (order.resume !== null) await untilQuiet(() => updates);
    isAnswering = true;
    const texts = [order.systemPrompt ?? "", order.message].filter((text) => text.trim() !== "");
    const prompt = texts.map((text) => ({ type: "text", text }));
    const reply = await agent.request("session/prompt", { sessionId, prompt });
    tellEnd(textAt(reply, "stopReason") ?? "nothing", tell);
  } catch (thrown) {
    tell({ type: "end", ok: false, error: messageOf(thrown) });
  }
  await agent.close();
}

/** Some answer first and replay then: what was said before ends when nothing more comes. */
async function untilQuiet(updates: () => number): Promise<void> {
  for (let seen = -1, round = 0; seen !== updates() && round < maxQuietRounds; round++) {
    seen = updates();
    await new Promise((resolve) => setTimeout(resolve, quietMs));
  }
}

const quietMs = 1000;
const maxQuietRounds = 10;

const usualHelloMs = 120_000;

/** A program that speaks something else would be waited for until the time of the task is over, and nobody would know why. */
async function inTime(answer: Promise<unknown>, limitMs: number): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const problem = `it did not answer the ACP handshake within ${limitMs / 1000} s`;
  const timer = setTimeout(() => reject(new Error(problem)), limitMs);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function sayHello(agent: RpcPeer): Promise<unknown> {
  return agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: {},
    clientInfo: { name: "deckhand", title: "Deckhand", version: "1" },
  });
}

async function openSession(agent: RpcPeer, order: DriverOrder, hello: unknown): Promise<string> {
  const place = { cwd: order.cwd, mcpServers: [] };
  const opened =
    order.resume === null
      ? await agent.request("session/new", place)
      : await agent.request(wayToResume(hello), { ...place, sessionId: order.resume });
  const sessionId = textAt(opened, "sessionId") ?? order.resume;
  if (sessionId === null) throw new Error("it opened a session without an id");
  if (order.model !== null) await chooseModel(agent, { sessionId, opened, model: order.model });
  return sessionId;
}

function wayToResume(hello: unknown): string {
  const resume = valueAt(hello, "agentCapabilities", "sessionCapabilities", "resume");
  if (typeof resume === "object" && resume !== null) return "session/resume";
  if (valueAt(hello, "agentCapabilities", "loadSession") === true) return "session/load";
  throw new Error("it reports that it can't resume sessions");
}

interface ModelChoice {
  readonly sessionId: string;
  readonly opened: unknown;
  readonly model: string;
}

async function chooseModel(agent: RpcPeer, { sessionId, opened, model }: ModelChoice): Promise<void> {
  const options = listAt(opened, "configOptions");
  const option = options.find((each) => valueAt(each, "category") === "model" || valueAt(each, "id") === "model");
  const configId = textAt(option, "id");
  if (configId !== undefined) {
    await agent.request("session/set_config_option", { sessionId, configId, value: model });
  } else if (valueAt(opened, "models") !== undefined) {
    await agent.request("session/set_model", { sessionId, modelId: model });
  } else {
    throw new Error("it does not support choosing a model; omit it");
  }
}

/** Nobody is there to ask: yes only where the task bypasses permissions. */
function choose(options: readonly unknown[], isAllowed: boolean): unknown {
  const wanted = isAllowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  for (const kind of wanted) {
    const optionId = textAt(
      options.find((option) => valueAt(option, "kind") === kind),
      "optionId",
    );
    if (optionId !== undefined) return { outcome: "selected", optionId };
  }
  return { outcome: "cancelled" };
}

function tellUpdate(update: unknown, tell: (event: DriverEvent) => void): void {
  switch (valueAt(update, "sessionUpdate")) {
    case "agent_message_chunk": {
      const text = textAt(update, "content", "text");
      if (text !== undefined) tell({ type: "text", text });
      return;
    }
    case "tool_call":
      tell({ type: "call", title: textAt(update, "title") ?? textAt(update, "kind") ?? "a tool" });
      return;
    default:
  }
}

function tellEnd(stopReason: string, tell: (event: DriverEvent) => void): void {
  if (stopReason === "end_turn") return tell({ type: "end", ok: true, stop_reason: stopReason });
  tell({ type: "end", ok: false, error: `it stopped early (${stopReason.replaceAll("_", " ")})` });
}
