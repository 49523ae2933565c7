import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

export type RpcId = string | number;

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly method: string;
  readonly params?: Fields;
}

export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Fields;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
}

export type RpcResponse =
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly result: Fields }
  /** Null: the server could not tell which request it was. */
  | { readonly jsonrpc: "2.0"; readonly id: RpcId | null; readonly error: RpcError };

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/** An object of a stranger: every field has to be looked at before it is used. */
export type Fields = Readonly<Record<string, unknown>>;

export const methodNotFound = -32_601;

export function isRequest(message: RpcMessage): message is RpcRequest {
  return "method" in message && "id" in message;
}

export function isResponse(message: RpcMessage): message is RpcResponse {
  return !("method" in message);
}

/** All messages of a text: one, or a batch as 2025-03-26 has them. Undefined when it is anything else. */
export function parseMessages(text: string): RpcMessage[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const messages = (Array.isArray(value) ? value : [value]).map(toMessage);
  return messages.every((message) => message !== undefined) ? messages : undefined;
}

function toMessage(value: unknown): RpcMessage | undefined {
  const fields = asFields(value);
  if (fields === undefined) return undefined;
  const id = typeof fields["id"] === "string" || typeof fields["id"] === "number" ? fields["id"] : undefined;
  const { method } = fields;
  if (typeof method === "string") {
    const params = asFields(fields["params"]);
    const named = { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) } as const;
    return id === undefined ? named : { ...named, id };
  }
  const result = asFields(fields["result"]);
  if (result !== undefined && id !== undefined) return { jsonrpc: "2.0", id, result };
  const error = asFields(fields["error"]);
  if (error === undefined) return undefined;
  const code = typeof error["code"] === "number" ? error["code"] : 0;
  const message = typeof error["message"] === "string" ? error["message"] : "an error without a text";
  return { jsonrpc: "2.0", id: id ?? null, error: { code, message } };
}

export function asFields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Why something between us and a server went wrong.
 * - `unavailable`: it could not be started or reached; nothing was asked of it
 * - `lost`: it was gone before it answered; whether it did anything is not known
 * - `expired`: it no longer knows us, and did not look at the request
 * - `refused`: it answered with an error
 * - `protocol`: what it said is not MCP
 */
export type McpProblemKind = "unavailable" | "lost" | "expired" | "refused" | "protocol";

/** The message is one sentence that follows on the server's name: `ended with exit code 1.` */
export class McpProblem extends Error {
  override readonly name = "McpProblem";
  readonly kind: McpProblemKind;
  constructor(kind: McpProblemKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Twice what the largest honest message can have. */
const longestLine = 64 * 1024 * 1024;

/** Calls back with each line. One that is too long is told once; then nothing is read any more. */
export function readLines(stream: Readable, handlers: { onLine(line: string): void; onTooLong(): void }): void {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  stream.on("data", (bytes: Buffer) => {
    const [first = "", ...rest] = decoder.write(bytes).split("\n");
    pieces.push(first);
    length += first.length;
    for (const next of rest) {
      handlers.onLine(pieces.join("").replace(/\r$/, ""));
      pieces = [next];
      length = next.length;
    }
    if (length <= longestLine) return;
    pieces = [];
    stream.removeAllListeners("data");
    stream.resume();
    handlers.onTooLong();
  });
}
