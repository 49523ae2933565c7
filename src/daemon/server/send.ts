import type { IncomingMessage, ServerResponse } from "node:http";
import { refuse } from "../../http/refusal.ts";
import type { Problem } from "./http-error.ts";

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
