import { type IncomingMessage, request } from "node:http";
import { type Duplex, pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { systemClock, type Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { connectTcp, connectToOne, secure, type Connect } from "./connect.ts";
import type { ProxyDecision } from "./decide-proxy.ts";
import { decodeText, mayBeText, parseContentType } from "./decode-text.ts";
import { judgeAddresses, judgeUrl } from "./judge-url.ts";
import type { ProxiedStream } from "./open-through-proxy.ts";
import { resolveBySystem, type ResolveName } from "./resolve-name.ts";
import type { UrlPolicy } from "./url-policy.ts";
import { type AllowedUrl, FetchProblem, type FetchRule, problemOf, quote } from "./url-verdict.ts";

export interface GuardedFetchOptions {
  readonly policy: UrlPolicy;
  readonly resolve?: ResolveName;
  readonly connect?: Connect;
  /** Left out: no proxy is ever used. */
  readonly proxy?: (url: URL) => ProxyDecision;
  readonly clock?: Clock;
  readonly limits?: Partial<FetchLimits>;
}

export interface FetchLimits {
  /** For everything together, redirects included. */
  readonly totalMs: number;
  /** After decompression. */
  readonly maxBytes: number;
  readonly maxRedirects: number;
}

export interface GuardedResponse {
  readonly ok: true;
  /** Where it came from at last. */
  readonly url: string;
  readonly status: number;
  /** `text/html`; empty when the server did not say. */
  readonly mediaType: string;
  readonly text: string;
  readonly bytes: number;
  /** The URLs that were asked before, in order. */
  readonly redirects: readonly string[];
  /** How long the server asks us to wait, as its header says it; null when it says nothing. */
  readonly retryAfter: string | null;
}

export interface FetchRefusal {
  readonly ok: false;
  readonly rule: FetchRule;
  /** One sentence. */
  readonly reason: string;
  /** The one that it is about: after a redirect another one than was asked for. */
  readonly url: string;
}

/** Never rejects: what went wrong is an answer, too. */
export type FetchGuarded = (
  url: string,
  request: { readonly signal: AbortSignal; readonly accept?: string },
) => Promise<GuardedResponse | FetchRefusal>;

const defaultLimits: FetchLimits = { totalMs: 20_000, maxBytes: 5 * 1024 * 1024, maxRedirects: 5 };

/**
 * Fetches text. Every step of every redirect: judge the URL, resolve its name once, refuse it if any of the addresses is not public,
 * connect to one of exactly these. Nothing is remembered between two fetches.
 */
export function createGuardedFetch(options: GuardedFetchOptions): FetchGuarded {
  const limits = { ...defaultLimits, ...options.limits };
  const clock = options.clock ?? systemClock;
  return async (url, { signal, accept = "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1" }) => {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(new FetchProblem("fetch.cancelled", "The fetch was cancelled."));
    const sentence = `The fetch took longer than ${limits.totalMs / 1000} s.`;
    const stopTimer = clock.after(limits.totalMs, () => stop.abort(new FetchProblem("fetch.timeout", sentence)));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const journey: Journey = { options, limits, clock, accept, signal: stop.signal, visited: [], at: url };
    try {
      return await travel(journey);
    } catch (thrown) {
      return refusalOf(stop.signal.aborted ? stop.signal.reason : thrown, journey.at);
    } finally {
      stopTimer();
      signal.removeEventListener("abort", onAbort);
      stop.abort();
    }
  };
}

interface Journey {
  readonly options: GuardedFetchOptions;
  readonly limits: FetchLimits;
  readonly clock: Clock;
  readonly accept: string;
  readonly signal: AbortSignal;
  readonly visited: string[];
  at: string;
}

async function travel(journey: Journey): Promise<GuardedResponse> {
  const { options, limits, visited } = journey;
  for (;;) {
    const verdict = judgeUrl(journey.at, options.policy);
    if (!verdict.allowed) throw problemOf(verdict);
    const answer = await ask(verdict, journey);
    if ("text" in answer) return answer;
    visited.push(verdict.href);
    journey.at = answer.location;
    if (visited.length > limits.maxRedirects) {
      throw new FetchProblem("url.redirect", `The URL was redirected more than ${limits.maxRedirects} times.`);
    }
  }
}

/** One request: the response, or where it sends us. The connection is gone afterwards. */
async function ask(url: AllowedUrl, journey: Journey): Promise<GuardedResponse | { readonly location: string }> {
  const { limits, accept, signal } = journey;
  const { stream: plain, proxyHeaders } = await open(url, journey);
  const onAbort = (): void => void plain.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    const target = new URL(url.href);
    const stream = target.protocol === "https:" ? await secure(plain, url.host, url.isAddress) : plain;
    const response = await sendRequest(stream, target, { accept, proxyHeaders, signal });
    const location = locateRedirect(response, target);
    if (location !== undefined) return { location };
    return await read(response, { url, limits, visited: journey.visited });
  } finally {
    signal.removeEventListener("abort", onAbort);
    plain.destroy();
  }
}

/** A connection to one of the addresses that were checked, or through the proxy that the person trusts to check them. */
async function open(url: AllowedUrl, { options, clock, signal }: Journey): Promise<ProxiedStream> {
  const decision = options.proxy?.(new URL(url.href)) ?? { kind: "direct" };
  if (decision.kind === "refused") throw new FetchProblem("url.proxy", decision.reason);
  if (decision.kind === "proxy") {
    const { openThroughProxy } = await import("./open-through-proxy.ts");
    return openThroughProxy(decision.proxy, url, signal);
  }
  const addresses = url.isAddress
    ? [url.host]
    : await resolveName(url.host, options.resolve ?? resolveBySystem, signal);
  const refused = judgeAddresses(url, addresses, options.policy);
  if (refused) throw problemOf(refused);
  const connecting = { connect: options.connect ?? connectTcp, clock, signal };
  return { stream: await connectToOne(addresses, url.port, connecting), proxyHeaders: null };
}

async function read(
  response: IncomingMessage,
  { url, limits, visited }: Pick<Journey, "limits" | "visited"> & { readonly url: AllowedUrl },
): Promise<GuardedResponse> {
  const type = parseContentType(response.headers["content-type"]);
  if (!mayBeText(type)) {
    const bytes = Number(response.headers["content-length"]);
    const size = bytes >= 0 ? ` (${bytes.toLocaleString("en-US")} bytes)` : "";
    throw new FetchProblem("fetch.type", `The body is ${quote(type.mediaType)}${size}; only text can be fetched.`);
  }
  const body = await readBody(response, limits.maxBytes);
  return {
    ok: true,
    url: url.href,
    status: response.statusCode ?? 0,
    mediaType: type.mediaType,
    text: decodeText(body, type),
    bytes: body.length,
    redirects: [...visited],
    retryAfter: response.headers["retry-after"] ?? null,
  };
}

async function resolveName(name: string, resolve: ResolveName, signal: AbortSignal): Promise<readonly string[]> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([resolve(name), promise]);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw new FetchProblem("url.resolve", `The host ${quote(name)} can't be resolved: ${messageOf(thrown)}.`);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function refusalOf(thrown: unknown, url: string): FetchRefusal {
  if (thrown instanceof FetchProblem) return { ok: false, rule: thrown.rule, reason: thrown.message, url };
  return { ok: false, rule: "fetch.failed", reason: `The connection failed: ${messageOf(thrown)}.`, url };
}

const redirects = new Set([301, 302, 303, 307, 308]);

/** Where a response sends us, as the URL that will be judged; undefined when it is the answer itself. */
export function locateRedirect(
  { statusCode, headers }: Pick<IncomingMessage, "statusCode" | "headers">,
  from: URL,
): string | undefined {
  if (!redirects.has(statusCode ?? 0) || headers.location === undefined) return undefined;
  // Headers are bytes to Node; servers mean UTF-8.
  const location = Buffer.from(headers.location, "latin1").toString();
  const to = URL.parse(location, from.href);
  if (to === null) {
    throw new FetchProblem("url.redirect", `The URL was redirected to ${quote(location)}, which is no URL.`);
  }
  if (from.protocol === "https:" && to.protocol === "http:") {
    const sentence = `The URL was redirected from https to ${quote(to.href)}, where anybody on the way could change it.`;
    throw new FetchProblem("url.redirect", sentence);
  }
  return to.href;
}

/** Sends a GET over a connection that is open already. No cookies, no credentials, no header of anybody else. */
function sendRequest(
  stream: Duplex,
  url: URL,
  {
    accept,
    proxyHeaders = null,
    signal,
  }: {
    readonly accept: string;
    /** Given: the connection leads to a proxy, which is told the whole URL. */
    readonly proxyHeaders?: Readonly<Record<string, string>> | null;
    readonly signal: AbortSignal;
  },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request({
    // Without an agent there is no pool that could hand out another connection.
    createConnection: () => stream,
    method: "GET",
    host: url.hostname,
    path: `${proxyHeaders === null ? "" : url.origin}${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      "user-agent": "deckhand",
      accept,
      "accept-encoding": "gzip, deflate, br",
      connection: "close",
      ...proxyHeaders,
    },
    maxHeaderSize: 32 * 1024,
    signal,
  });
  outgoing.once("response", resolve);
  outgoing.on("error", reject);
  // Also when the server wants to speak another protocol (101).
  outgoing.once("close", () => reject(new Error("it was closed without an answer")));
  outgoing.end();
  return promise;
}

type Bytes = AsyncIterable<Buffer>;

/**
 * The body, decompressed. What comes over the wire and what it becomes are both counted while they stream. Ends early when the
 * connection is destroyed.
 */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(response.headers["content-length"]) > maxBytes) throw tooLarge(maxBytes);
  const codings = codingsOf(response.headers["content-encoding"] ?? "");
  let bytes: Bytes = countBytes(response, maxBytes);
  for (const coding of codings.reverse()) bytes = decompress(bytes, coding);
  const chunks: Buffer[] = [];
  for await (const chunk of countBytes(bytes, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** More layers than a server has a reason for multiply a bomb. */
const mostLayers = 2;

function codingsOf(header: string): Coding[] {
  const named = header
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim().replace(/^x-/, ""))
    .filter((coding) => coding !== "" && coding !== "identity");
  if (named.length > mostLayers) {
    throw new FetchProblem("fetch.encoding", `The body is compressed ${named.length} times over; expected once.`);
  }
  return named.map((coding) => {
    if (coding === "gzip" || coding === "br" || coding === "deflate") return coding;
    const sentence = `The body's encoding "${coding.slice(0, 40)}" was not asked for; expected gzip, deflate or br.`;
    throw new FetchProblem("fetch.encoding", sentence);
  });
}

type Coding = "gzip" | "br" | "deflate";

async function* decompress(source: Bytes, coding: Coding): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const decoder = createDecoder(coding, first.value[0]!);
  let broken: Error | undefined;
  const whole = Readable.from(prepend(first.value, { [Symbol.asyncIterator]: () => chunks }));
  whole.once("error", (error) => (broken = error));
  pipeline(whole, decoder, () => undefined);
  try {
    yield* decoder as Bytes;
  } catch (thrown) {
    // What broke before the decoder is not the decoder's fault.
    if (broken !== undefined) throw broken;
    throw new FetchProblem("fetch.encoding", `The compressed body is damaged (${messageOf(thrown)}).`, {
      cause: thrown,
    });
  }
}

/** Servers send two formats under the name "deflate"; the first byte tells them apart. */
function createDecoder(coding: Coding, firstByte: number): Transform {
  if (coding === "gzip") return createGunzip();
  if (coding === "br") return createBrotliDecompress();
  return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

async function* prepend(first: Buffer, rest: Bytes): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

async function* countBytes(source: Bytes, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

function tooLarge(maxBytes: number): FetchProblem {
  const megabytes = Math.round((maxBytes / 1024 / 1024) * 100) / 100;
  return new FetchProblem("fetch.size", `The body is larger than ${megabytes} MiB.`);
}
