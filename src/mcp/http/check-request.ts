import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export interface Refusal {
  readonly status: number;
  readonly sentence: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RequestRules {
  /** What `Host` has to say, exactly. */
  readonly hosts: readonly string[];
  readonly token: string;
}

export const endpoint = "/mcp";

/**
 * Why a request is not let in; undefined when it is. Host and Origin come first: a web page that got here by a name of its own is told
 * nothing, not even whether there is a token.
 */
export function checkRequest(request: IncomingMessage, { hosts, token }: RequestRules): Refusal | undefined {
  const { host, origin, authorization } = request.headers;
  if (host === undefined || !hosts.includes(host) || countOf(request, "host") !== 1) {
    return { status: 403, sentence: `This server answers only to ${hosts.join(", ")}.` };
  }
  if (origin !== undefined && !hosts.some((each) => origin === `http://${each}`)) {
    return { status: 403, sentence: "Web pages of other origins are not let in." };
  }
  if (request.url !== endpoint) return { status: 404, sentence: `There is only ${endpoint} here.` };
  if (!isToken(authorization, token)) {
    const headers = { "www-authenticate": 'Bearer realm="deckhand"' };
    return { status: 401, sentence: "A token is needed: send Authorization: Bearer TOKEN.", headers };
  }
  // There are no sessions, so there is nothing to listen to and nothing to delete.
  if (request.method !== "POST") {
    return { status: 405, sentence: "Only POST is answered here.", headers: { allow: "POST" } };
  }
  return undefined;
}

/** Node joins or drops what came twice; two hosts in one request are a trick. */
function countOf(request: IncomingMessage, name: string): number {
  return request.rawHeaders.filter((header, index) => index % 2 === 0 && header.toLowerCase() === name).length;
}

function isToken(authorization: string | undefined, token: string): boolean {
  const [, given] = /^bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
  // Digests are of one length, whatever came, so that the time tells nothing.
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
