import type { IncomingMessage } from "node:http";
import type { Refusal } from "./refusal.ts";

/**
 * Host and Origin come before anything else: a web page that got here by a name of its own is told nothing, not even whether
 * there is a token. Both are compared with what is known beforehand, never with each other.
 */
export function checkHost(request: IncomingMessage, hosts: readonly string[]): Refusal | undefined {
  const { host, origin } = request.headers;
  if (host === undefined || !hosts.includes(host) || countOf(request, "host") !== 1) {
    return { status: 403, sentence: `This server answers only to ${hosts.join(", ")}.` };
  }
  if (origin !== undefined && !hosts.some((each) => origin === `http://${each}`)) {
    return { status: 403, sentence: "Web pages of other origins are not let in." };
  }
  return undefined;
}

/** Node joins or drops what came twice; two hosts in one request are a trick. */
function countOf(request: IncomingMessage, name: string): number {
  return request.rawHeaders.filter((header, index) => index % 2 === 0 && header.toLowerCase() === name).length;
}
