import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpError } from "./http-error.ts";

const mostBytes = 1024 * 1024;
/** Nobody means more; what reads the body goes one level of the stack deeper with each. */
const deepest = 200;

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
  if (isTooDeep(text)) throw new HttpError("BAD_REQUEST", `The body is nested deeper than ${deepest} levels.`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new HttpError("BAD_REQUEST", "The body is not JSON.");
  }
}

/** By its brackets, outside of texts: nothing that calls itself may look at such a body. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (sign === "[" || sign === "{") {
      depth += 1;
      if (depth > deepest) return true;
    } else if (sign === "]" || sign === "}") depth -= 1;
  }
  return false;
}

function tooLarge(): HttpError {
  return new HttpError("TOO_LARGE", `A body has at most ${mostBytes} bytes here.`);
}
