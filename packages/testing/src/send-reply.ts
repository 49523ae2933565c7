import type { ServerResponse } from "node:http";
import type { ModelFailure } from "../../../src/core/model.ts";
import type { Step } from "./play-script.ts";
import { isDropped, type Protocol, type ReplyFacts } from "./protocols/served-protocol.ts";

/** Sends a reply as it is spoken. */
export async function sendStream(
  response: ServerResponse,
  steps: AsyncIterable<Step>,
  { protocol, reply }: { readonly protocol: Protocol; readonly reply: ReplyFacts },
): Promise<void> {
  const write = protocol.createWriter(reply);
  for await (const step of steps) {
    if (step.type === "started") response.writeHead(200, { ...streamHeaders, "request-id": `req_${reply.id}` });
    if (step.type === "failed" && !response.headersSent) return sendFailure(response, step.failure, protocol);
    if (!(await send(response, write(step)))) return;
    // All that was said is on its way, and now the line goes dead.
    if (step.type === "failed" && isDropped(step.failure)) response.destroy();
  }
  response.end();
}

/** Sends a reply in one piece. */
export async function sendWhole(
  response: ServerResponse,
  steps: AsyncIterable<Step>,
  { protocol, reply }: { readonly protocol: Protocol; readonly reply: ReplyFacts },
): Promise<void> {
  for await (const step of steps) {
    if (step.type === "failed") return sendFailure(response, step.failure, protocol);
    if (step.type === "finished") sendJson(response, protocol.whole(step, reply));
  }
}

export function sendFailure(response: ServerResponse, failure: ModelFailure, protocol: Protocol): void {
  if (isDropped(failure) || failure.kind === "aborted") return void response.destroy();
  const status = protocol.statusOf(failure);
  sendJson(response, protocol.errorBody(failure, status), { status, headers: retryHeaders(failure) });
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

const streamHeaders = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/** Seconds are the standard; those who want it exactly read the other one. */
function retryHeaders({ retryAfterMs }: ModelFailure): Readonly<Record<string, string>> {
  if (retryAfterMs === null) return {};
  return { "retry-after": String(Math.ceil(retryAfterMs / 1000)), "retry-after-ms": String(retryAfterMs) };
}

/** False when nobody listens any more. */
async function send(response: ServerResponse, text: string): Promise<boolean> {
  if (text === "") return !response.destroyed;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  response.write(text, (problem) => resolve(!problem));
  return promise;
}
