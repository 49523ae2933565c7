import type { Readable, Writable } from "node:stream";

export interface RpcPeer {
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

export class RpcError extends Error {
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
export function openRpcPeer(input: Readable, output: Writable, listener: RpcListener): RpcPeer {
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
