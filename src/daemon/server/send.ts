import type { IncomingMessage, ServerResponse } from "node:http";
import { codeOf, messageOf } from "../../core/errors.ts";
import { refuse } from "../../http/refusal.ts";

/** On everything that leaves: nobody may guess its type, frame it, or learn where it was asked from. */
export const guardHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return;
  if (status === 204) {
    response.writeHead(204, { "cache-control": "no-store", ...guardHeaders }).end();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(body ?? null));
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": bytes.length,
    "cache-control": "no-store",
    ...guardHeaders,
  });
  response.end(bytes);
}

export function sendError(request: IncomingMessage, response: ServerResponse, error: Problem): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, code, message, headers } = error;
  const body = { error: { code, message } };
  // What was read to its end leaves the connection as it should be.
  if (request.complete) {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendJson(response, status, body);
  } else {
    refuse(request, response, { status, body, headers: { "cache-control": "no-store", ...guardHeaders, ...headers } });
  }
}

/** Why a request gets no answer: a status, a word for programs and a sentence. */
interface Problem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the server itself refuses. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: keyof typeof statuses;
  readonly headers: Readonly<Record<string, string>>;
  constructor(code: keyof typeof statuses, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

const statuses = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TOO_SLOW: 408,
  NOT_WATCHED: 409,
  TOO_LARGE: 413,
  UNSUPPORTED_TYPE: 415,
  TOO_MANY: 429,
  NOT_READY: 503,
  TOO_MANY_STREAMS: 503,
} as const;

/** What anything that was thrown means to whoever asked. */
export function toProblem(thrown: unknown): Problem {
  const code = codeOf(thrown) ?? "INTERNAL";
  const problem = { code, message: messageOf(thrown), headers: {} };
  if (thrown instanceof HttpError) return { ...problem, status: statuses[thrown.code], headers: thrown.headers };
  if (thrown instanceof URIError)
    return { ...problem, status: 400, code: "BAD_REQUEST", message: "The path is badly encoded." };
  // A route that says by itself which.
  const { status } = Object(thrown) as { readonly status?: unknown };
  return { ...problem, status: typeof status === "number" ? status : statusOf(code) };
}

function statusOf(code: string): number {
  if (conflicts.has(code)) return 409;
  if (code.endsWith("_UNKNOWN") || code === "UNKNOWN_TOOL") return 404;
  if (code.endsWith("_INVALID") || code === "PROMPT_EMPTY" || code === "INVALID_TOOL") return 400;
  if (code.startsWith("STORE_") || code === "LOG_UNWRITABLE" || code === "RUNTIME_CLOSED") return 503;
  return 500;
}

const conflicts = new Set([
  "AGENT_BUSY",
  "BATCH_ENDED",
  "DUPLICATE_TOOL",
  "ILLEGAL_TRANSITION",
  "ROLLOUT_STATE",
  "SESSION_BUSY",
]);
