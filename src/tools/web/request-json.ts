import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Clock } from "../../core/clock.ts";

export interface JsonRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Given: a POST with this as JSON. */
  readonly body?: unknown;
}

export type JsonAnswer =
  | { readonly kind: "answer"; readonly status: number; readonly retryAfter: string | null; readonly value: unknown }
  /** `why` goes on after the name of the service, and never holds what was sent. */
  | { readonly kind: "failed"; readonly why: string; readonly isTimeout: boolean };

export interface JsonOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const maxBytes = 4 * 1024 * 1024;

/**
 * Asks a service that the person configured; so it may be anywhere, and the proxy of the environment is used. Sent once,
 * follows no redirect: the key is for that host only. Never rejects.
 */
export async function requestJson(request: JsonRequest, options: JsonOptions): Promise<JsonAnswer> {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort();
  let isTimeout = false;
  const stopTimer = options.clock.after(options.timeoutMs, () => {
    isTimeout = true;
    stop.abort();
  });
  options.signal.addEventListener("abort", onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  try {
    const response = await send(request, options.env, stop.signal);
    const text = await readText(response);
    const { statusCode: status = 0, headers } = response;
    if (text === null) return { kind: "failed", why: "sent more than 4 MB", isTimeout: false };
    return { kind: "answer", status, retryAfter: headers["retry-after"] ?? null, value: parse(text) };
  } catch (thrown) {
    if (isTimeout) return { kind: "failed", why: `did not answer within ${options.timeoutMs / 1000} s`, isTimeout };
    if (options.signal.aborted) return { kind: "failed", why: "was not waited for: the call was stopped", isTimeout };
    return { kind: "failed", why: `can't be reached (${codeOrName(thrown)})`, isTimeout };
  } finally {
    stopTimer();
    options.signal.removeEventListener("abort", onAbort);
  }
}

function send(
  { url, headers, body }: JsonRequest,
  env: JsonOptions["env"],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const isSecure = url.protocol === "https:";
  const proxyEnv = isLocal(url.hostname) ? {} : { proxyEnv: env as NodeJS.ProcessEnv };
  const outgoing = (isSecure ? requestHttps : requestHttp)(url, {
    method: body === undefined ? "GET" : "POST",
    agent: isSecure ? new HttpsAgent(proxyEnv) : new HttpAgent(proxyEnv),
    headers: {
      "user-agent": "deckhand",
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    signal,
  });
  outgoing.once("response", resolve);
  outgoing.on("error", reject);
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** No proxy of the environment is asked for what runs on this machine. */
function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname.startsWith("127.") || hostname === "[::1]";
}

async function readText(response: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      response.destroy();
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Undefined: it is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `ECONNREFUSED` says enough; a message may hold the address with what is secret in it. */
function codeOrName(thrown: unknown): string {
  const { code, name } = Object(thrown) as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === "string" ? code : String(name);
}
