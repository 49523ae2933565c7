import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpError } from "./http-error.ts";

const mostBytes = 1024 * 1024;

/** Before a byte of it is read: what it says about itself. */
export function checkBody(request: IncomingMessage): void {
  const type = request.headers["content-type"] ?? "";
  // Anything else could come from a form of any web page without being asked for first.
  if (!/^application\/json *(?:;|$)/i.test(type)) {
    throw new HttpError("UNSUPPORTED_TYPE", "Send JSON, with Content-Type: application/json.");
  }
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) throw tooLarge();
}

/** An object; no body at all is an empty one. */
export async function readJsonBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  // Whoever waits to be told that the body is wanted is told so only now.
  if (request.headers.expect !== undefined) response.writeContinue();
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > mostBytes) throw tooLarge();
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString();
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new HttpError("BAD_REQUEST", "The body is not JSON.");
  }
}

function tooLarge(): HttpError {
  return new HttpError("TOO_LARGE", `A body has at most ${mostBytes} bytes here.`);
}
