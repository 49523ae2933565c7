import { PassThrough } from "node:stream";
import type { TestContext } from "node:test";
import type { ServerParts } from "../../../../src/mcp/server/create-mcp-server.ts";
import { serveStdio } from "../../../../src/mcp/server/serve-stdio.ts";
import { afterTest } from "../../../support/after-test.ts";

export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface CallAnswer {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export interface Pipe {
  readonly input: PassThrough;
  readonly errors: readonly Error[];
  readonly closed: Promise<void>;
  /** What came that was no answer to a request of `request`. */
  readonly others: readonly Message[];
  send(message: unknown): void;
  request(method: string, params?: object): Promise<Message>;
  call(name: string, input?: object): Promise<CallAnswer>;
  /** Resolves with the next message of that kind, also if it has come. */
  other(fits: (message: Message) => boolean): Promise<Message>;
}

export interface PipeOptions {
  readonly onFirstAnswer?: () => void;
  /** Left out: the client has said nothing yet. */
  readonly era?: "legacy" | "modern";
  /** What a modern client says it can do. */
  readonly capabilities?: object;
}

/** A server at the other end of two streams, and a client in plain JSON. */
export async function openPipe(t: TestContext, parts: ServerParts, options: PipeOptions = {}): Promise<Pipe> {
  const input = new PassThrough();
  const output = new PassThrough();
  const errors: Error[] = [];
  const { onFirstAnswer, era, capabilities = {} } = options;
  const onError = (error: Error): void => void errors.push(error);
  const door = serveStdio(parts, { input, output, onError, ...(onFirstAnswer ? { onFirstAnswer } : {}) });
  afterTest(t, () => door.close());
  const others: Message[] = [];
  const waiting = new Map<unknown, (message: Message) => void>();
  const watching = new Set<(message: Message) => void>();
  let rest = "";
  let last = 0;
  output.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line) as Message);
  });

  function take(message: Message): void {
    const settle = message.method === undefined ? waiting.get(message.id) : undefined;
    if (settle) return settle(message);
    others.push(message);
    for (const watch of watching) watch(message);
  }

  const pipe: Pipe = {
    input,
    errors,
    others,
    closed: door.closed,
    send: (message) => void input.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    request(method, params = {}) {
      const id = ++last;
      const { promise, resolve } = Promise.withResolvers<Message>();
      waiting.set(id, resolve);
      const { _meta, ...rest } = params as { readonly _meta?: object };
      const meta = era === "modern" ? { ...envelope(capabilities), ..._meta } : _meta;
      pipe.send({ jsonrpc: "2.0", id, method, params: meta ? { ...rest, _meta: meta } : rest });
      return promise;
    },
    async call(name, input) {
      const { result, error } = await pipe.request("tools/call", { name, arguments: input });
      if (!result) throw new Error(`${error?.code}: ${error?.message}`);
      return result as unknown as CallAnswer;
    },
    other(fits) {
      const { promise, resolve } = Promise.withResolvers<Message>();
      const found = others.find(fits);
      if (found) resolve(found);
      watching.add((message) => void (fits(message) && resolve(message)));
      return promise;
    },
  };
  if (era === "legacy") {
    const clientInfo = { name: "pipe", version: "0" };
    await pipe.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    pipe.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }
  return pipe;
}

function envelope(capabilities: object): object {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "pipe", version: "0" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
}
