import type { Clock } from "../../core/clock.ts";

/**
 * Watches one request from outside the provider's package: stops it when somebody asks or when nothing comes any more,
 * and knows how far it got. The first cause wins.
 */
export interface RequestWatch {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** Null while nobody stopped it. */
  cause(): StopCause | null;
  /** The server took the request and began to answer. */
  hasAnswered(): boolean;
  /** Why its answer is no reply; null while it may be one. */
  fault(): AnswerFault | null;
  /** Ends what still runs and forgets the caller's signal. */
  close(): void;
}

export type StopCause = "aborted" | "stalled";

interface WatchOptions {
  readonly signal: AbortSignal;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly stallMs: number;
}

/** One for all: making an error at the end of each request takes longer than ending it. */
const over = new Error("The request is over.");

export function watchRequest({ signal, fetch, clock, stallMs }: WatchOptions): RequestWatch {
  const controller = new AbortController();
  /** Those who wait for something of the server. */
  const waiting = new Set<(reason: Error) => void>();
  let cause: StopCause | null = null;
  let hasAnswered = false;
  let fault: AnswerFault | null = null;
  let lastByteAt = clock.monotonic();
  let cancelTimer = clock.after(stallMs, checkStall);

  function stop(by: StopCause): void {
    cause ??= by;
    end(new DOMException("The request was stopped.", "AbortError"));
  }

  function end(reason: Error): void {
    controller.abort(reason);
    for (const reject of waiting) reject(reason);
  }

  /** Settles at once when it is stopped, also when the one who was asked does not care about signals. */
  async function unlessStopped<Value>(work: Promise<Value>): Promise<Value> {
    const { promise, reject } = Promise.withResolvers<never>();
    waiting.add(reject);
    if (controller.signal.aborted) reject(controller.signal.reason as Error);
    try {
      return await Promise.race([work, promise]);
    } finally {
      waiting.delete(reject);
      work.catch(() => {
        // The race has its end already.
      });
    }
  }

  function refuse(found: AnswerFault): AnswerError {
    fault ??= found;
    return new AnswerError(found);
  }

  // One timer that looks back, instead of one for every piece.
  function checkStall(): void {
    const restMs = lastByteAt + stallMs - clock.monotonic();
    if (restMs <= 0) stop("stalled");
    else cancelTimer = clock.after(restMs, checkStall);
  }

  function touch(): void {
    lastByteAt = clock.monotonic();
  }

  const onAbort = (): void => stop("aborted");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();

  return {
    signal: controller.signal,
    cause: () => cause,
    hasAnswered: () => hasAnswered,
    fault: () => fault,
    async fetch(input, init) {
      // Followed, a redirect would carry the key and the conversation to somebody else.
      const sent = fetch(input, { ...init, redirect: "manual", signal: controller.signal });
      const response = await unlessStopped(sent);
      touch();
      const address = input instanceof Request ? input.url : String(input);
      const answer = await readAnswer(response, { address, unlessStopped, touch, refuse });
      hasAnswered ||= answer.ok;
      return answer;
    },
    close() {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
      end(over);
    },
  };
}

/** What a server sends has no end unless somebody sets one. */
const mostDocumentBytes = 64 * 1024;
const mostLineBytes = 16_000_000;
/** Of the whole stream. Each piece of a reply, often a single word, comes in an envelope of some hundred bytes. */
const mostStreamBytes = 128_000_000;

export interface AnswerReading {
  /** Where the request went. */
  readonly address: string;
  /** Settles at once when the request is stopped. */
  readonly unlessStopped: <Value>(work: Promise<Value>) => Promise<Value>;
  /** Something of a reply came. */
  readonly touch: () => void;
  /** The error to throw; that it is no reply is remembered, whatever the package makes of the error. */
  readonly refuse: (fault: AnswerFault) => AnswerError;
}

/**
 * The answer, to be handed to the provider's package: a reply as a stream that ends where it becomes too long, or a
 * failure whose body is cut. Throws an AnswerError when it is neither.
 */
async function readAnswer(response: Response, reading: AnswerReading): Promise<Response> {
  const { status, statusText, headers, body } = response;
  const pieces = body ? openPieces(body, reading) : null;
  if (status >= 300 && status < 400) {
    await pieces?.cancel();
    throw reading.refuse({ kind: "redirect", status, target: targetOf(headers, reading.address) });
  }
  if (!response.ok) {
    // Those that must not have a body have none.
    return pieces
      ? new Response(await readStart(pieces, mostDocumentBytes), { status, statusText, headers })
      : response;
  }
  if (!pieces) throw reading.refuse({ kind: "empty", status });
  const form = formOf(headers.get("content-type") ?? "");
  if (form === "document" || (form === "unclear" && !(await beginsLikeEvents(pieces)))) {
    const text = await readStart(pieces, mostDocumentBytes);
    throw reading.refuse(text.trim() === "" ? { kind: "empty", status } : { kind: "document", body: text });
  }
  return new Response(limit(pieces, reading), { status, headers });
}

/** The bytes of a body in the order they come. What was put back comes first. */
interface Pieces {
  next(): Promise<Uint8Array | null>;
  putBack(piece: Uint8Array): void;
  cancel(reason?: unknown): Promise<void>;
}

function openPieces(body: ReadableStream<Uint8Array>, { unlessStopped }: AnswerReading): Pieces {
  const reader = body.getReader();
  let again: Uint8Array | null = null;
  return {
    async next() {
      const first = again;
      again = null;
      if (first) return first;
      const { done, value } = await unlessStopped(reader.read());
      return done ? null : value;
    },
    putBack(piece) {
      again = piece;
    },
    async cancel(reason) {
      await reader.cancel(reason).catch(() => {
        // It is over already.
      });
    },
  };
}

/** As a text; the rest is not read. */
async function readStart(pieces: Pieces, maxBytes: number): Promise<string> {
  const { start, isWhole } = await collect(pieces, (bytes) => bytes.length >= maxBytes);
  if (!isWhole) await pieces.cancel();
  return start.subarray(0, maxBytes).toString("utf8");
}

async function collect(
  pieces: Pieces,
  isEnough: (bytes: Buffer) => boolean,
): Promise<{ readonly start: Buffer; readonly isWhole: boolean }> {
  let start = Buffer.alloc(0);
  while (!isEnough(start)) {
    const piece = await pieces.next();
    if (!piece) return { start, isWhole: true };
    start = Buffer.concat([start, piece]);
  }
  return { start, isWhole: false };
}

/** Servers are careless about it; a text may be a stream of events. */
function formOf(contentType: string): "events" | "document" | "unclear" {
  if (/^\s*(text\/html|application\/json)/i.test(contentType)) return "document";
  return /^\s*(text\/(?!event-stream)|$)/i.test(contentType) ? "unclear" : "events";
}

async function beginsLikeEvents(pieces: Pieces): Promise<boolean> {
  const isEnough = (bytes: Buffer): boolean => bytes.length > 1000 || /\S[^]{8}/.test(bytes.toString("latin1"));
  const { start } = await collect(pieces, isEnough);
  if (start.length > 0) pieces.putBack(start);
  return /^\uFEFF?\s*(data|event|id|retry)?:/.test(start.toString("utf8"));
}

function limit(pieces: Pieces, { touch, refuse }: AnswerReading): ReadableStream<Uint8Array> {
  let streamBytes = 0;
  let lineBytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(target) {
      const piece = await pieces.next();
      touch();
      if (!piece) {
        target.close();
        return;
      }
      streamBytes += piece.length;
      const lineEnd = Math.max(piece.lastIndexOf(10), piece.lastIndexOf(13));
      lineBytes = lineEnd === -1 ? lineBytes + piece.length : piece.length - lineEnd - 1;
      const isEndless = streamBytes > mostStreamBytes;
      if (isEndless || lineBytes > mostLineBytes) {
        await pieces.cancel();
        const what = isEndless
          ? `more than ${mostStreamBytes / 1e6} MB`
          : `a line of more than ${mostLineBytes / 1e6} MB`;
        throw refuse({ kind: "too_long", limit: what });
      }
      target.enqueue(piece);
    },
    cancel: (reason) => pieces.cancel(reason),
  });
}

/** Without what is nobody's business: names, passwords, queries. */
function targetOf(headers: Headers, address: string): string | null {
  const url = URL.parse(headers.get("location") ?? "", address);
  if (!url || !headers.get("location")) return null;
  const target = `${url.protocol}//${url.host}${url.pathname}`;
  return target.length > 200 ? `${target.slice(0, 199)}…` : target;
}

/** Why what a server answered is no reply, whatever the provider's package would make of it. */
export type AnswerFault =
  | { readonly kind: "redirect"; readonly status: number; readonly target: string | null }
  /** A web page or a single document where a stream of events was asked for. */
  | { readonly kind: "document"; readonly body: string }
  | { readonly kind: "empty"; readonly status: number }
  | { readonly kind: "too_long"; readonly limit: string };

export class AnswerError extends Error {
  override readonly name = "AnswerError";
  readonly fault: AnswerFault;
  constructor(fault: AnswerFault) {
    super(`The answer is no reply: ${fault.kind}.`);
    this.fault = fault;
  }
}

/** One sentence about it. `said`: the provider's own words in a document, without their full stop; empty when it has none. */
export function tellFault(
  fault: AnswerFault,
  { host, said }: { readonly host: string; readonly said: string },
): string {
  switch (fault.kind) {
    case "redirect":
      return `${host} answered with a redirect (status ${fault.status}) to ${
        fault.target ?? "no address that could be read"
      }, which is not followed: the key and the conversation would go there. If that is the right address, name it as the base URL.`;
    case "document":
      return `${host} answered with a document instead of a reply${said === "" ? "" : `: ${said}`}; ${
        isJson(fault.body) ? "check the base URL, and that it can stream" : "check the base URL"
      }.`;
    case "empty":
      return `${host} answered with nothing (status ${fault.status}) instead of a reply; check the base URL.`;
    case "too_long":
      return `${host} sent ${fault.limit}, so the reply was given up; check the model and the base URL.`;
  }
}

function isJson(body: string): boolean {
  return body.trimStart().startsWith("{");
}
