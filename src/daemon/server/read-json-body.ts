import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { HttpError } from "./http-error.ts";

/** Nobody means more; what reads the body goes one level of the stack deeper with each. */
const deepest = 200;

export interface BodyLimits {
  readonly mostBytes: number;
  /** Until all of it is there; null: as long as any request may take. */
  readonly withinMs: number | null;
}

export const usualBody: BodyLimits = { mostBytes: 1024 * 1024, withinMs: null };
/** Of somebody who has not shown a token: a code is short, and nobody types it into the connection. */
export const strangersBody: BodyLimits = { mostBytes: 4096, withinMs: 10_000 };

/** Before a byte of it is read: what it says about itself. */
export function checkBody(request: IncomingMessage, { mostBytes }: BodyLimits): void {
  const type = request.headers["content-type"] ?? "";
  // Anything else could come from a form of any web page without being asked for first.
  if (!/^application\/json *(?:;|$)/i.test(type)) {
    throw new HttpError("UNSUPPORTED_TYPE", "Send JSON, with Content-Type: application/json.");
  }
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) throw tooLarge(mostBytes);
}

/** An object; no body at all is an empty one. */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  { mostBytes, withinMs, clock }: BodyLimits & { readonly clock: Clock },
): Promise<unknown> {
  // Whoever waits to be told that the body is wanted is told so only now.
  if (request.headers.expect !== undefined) response.writeContinue();
  const pieces = await collect(request, { mostBytes, withinMs, clock });
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

function collect(
  request: IncomingMessage,
  { mostBytes, withinMs, clock }: BodyLimits & { readonly clock: Clock },
): Promise<Buffer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>();
  const pieces: Buffer[] = [];
  let bytes = 0;
  const stopWaiting = withinMs === null ? undefined : clock.after(withinMs, () => reject(tooSlow(withinMs)));
  request.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > mostBytes) reject(tooLarge(mostBytes));
    else pieces.push(piece);
  });
  request.once("end", () => resolve(pieces));
  request.once("error", reject);
  request.once("close", () => reject(new HttpError("BAD_REQUEST", "The body ended before it was whole.")));
  return promise.finally(() => {
    stopWaiting?.();
    request.removeAllListeners("data");
    request.pause();
  });
}

function tooSlow(withinMs: number): HttpError {
  return new HttpError("TOO_SLOW", `The body was not there within ${withinMs / 1000} s.`, { connection: "close" });
}

function tooLarge(mostBytes: number): HttpError {
  return new HttpError("TOO_LARGE", `A body has at most ${mostBytes} bytes here.`);
}
