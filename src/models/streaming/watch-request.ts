import type { Clock } from "../../core/clock.ts";
import { AnswerError, type AnswerFault } from "./answer-fault.ts";
import { readAnswer } from "./read-model-answer.ts";

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
