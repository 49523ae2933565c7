import type { FailureKind, ModelFailure } from "../../core/model.ts";
import type { ModelSource } from "../model-source.ts";
import { AnswerError } from "../streaming/answer-fault.ts";
import { type ErrorReading, readDocument, readError } from "./read-error.ts";
import { retryAfterMs } from "./retry-after.ts";
import { type Problem, tellFailure } from "./describe-failure.ts";
import type { RequestWatch } from "../streaming/watch-request.ts";

/** The reply ended in the middle; `why` completes the sentence. */
export class CutError extends Error {
  override readonly name = "CutError";
}

export interface FailureContext {
  readonly source: ModelSource;
  readonly watch: Pick<RequestWatch, "cause" | "hasAnswered" | "fault">;
}

/** What went wrong with a request, as one sentence and as a word to act upon. Never holds the key. */
export function toFailure(thrown: unknown, { source, watch }: FailureContext): ModelFailure {
  const fault = thrown instanceof AnswerError ? thrown.fault : watch.fault();
  const reading = readError(thrown);
  const error = fault?.kind === "document" ? { ...reading, text: readDocument(fault.body) } : reading;
  const problem: Problem = { ...error, kind: kindOf(thrown, error, { watch, fault }), fault, stop: watch.cause() };
  const { kind } = problem;
  const isWait = kind === "rate_limit" || kind === "overloaded" || kind === "server";
  const message = tellFailure(problem, source);
  const maxAttempts = mostAttempts(problem);
  return {
    kind,
    message: source.key && isKey(source.key.value) ? message.replaceAll(source.key.value, "***") : message,
    status: fault?.kind === "redirect" ? fault.status : error.status,
    retryAfterMs: isWait ? retryAfterMs({ headers: error.headers, body: error.body, now: source.clock.now() }) : null,
    ...(maxAttempts !== null && { maxAttempts }),
  };
}

/** A server that sends what nobody can read hardly does better the next time. */
const attemptsAtGarbled = 3;

function mostAttempts({ kind, garbled, proxy, status }: Problem): number | null {
  if (kind === "cut" && garbled !== null) return attemptsAtGarbled;
  // A proxy that refuses does so again; one that fails may come back.
  return kind === "unreachable" && proxy !== null && status !== null && status < 500 ? 1 : null;
}

function kindOf(
  thrown: unknown,
  error: ErrorReading,
  { watch, fault }: Pick<FailureContext, "watch"> & Pick<Problem, "fault">,
): FailureKind {
  const cause = watch.cause();
  if (cause) return cause === "aborted" ? "aborted" : "cut";
  if (thrown instanceof CutError) return "cut";
  if (error.proxy !== null) return "unreachable";
  // Before any words are looked at: it may quote the whole reply.
  if (watch.hasAnswered() && error.garbled !== null && !fault) return "cut";
  const said = `${error.text} ${error.body}`;
  if (windowWords.test(said)) return "window";
  if (fault) return fault.kind === "document" ? (kindOfWords(error.text) ?? "rejected") : "rejected";
  if (error.status !== null) return kindOfStatus(error.status, said);
  if (watch.hasAnswered()) return kindOfWords(said) ?? "cut";
  return error.code !== null || /fetch failed|cannot connect|network/i.test(said) ? "unreachable" : "rejected";
}

function kindOfStatus(status: number, said: string): FailureKind {
  if (/insufficient_quota|credit balance|billing|exceeded your current quota/i.test(said) && status < 500) {
    // Google says "quota" also where waiting helps; then it says how long.
    return /retryDelay/.test(said) ? "rate_limit" : "rejected";
  }
  if (status === 401 || /API_KEY_INVALID|api key not valid|invalid api key/i.test(said)) return "key";
  if (modelWords.test(said) || status === 404) return "unknown_model";
  if (status === 403) return "key";
  if (status === 429) return "rate_limit";
  if (status === 413) return "window";
  if (status === 529 || status === 503) return "overloaded";
  if (status >= 500 || status === 408 || status === 409 || status === 425) return "server";
  return "rejected";
}

/** Of errors that come without a status, in the middle of a stream. */
function kindOfWords(said: string): FailureKind | null {
  if (/overloaded|unavailable/i.test(said)) return "overloaded";
  if (/rate.?limit|too many requests|RESOURCE_EXHAUSTED/i.test(said)) return "rate_limit";
  return /server.?error|internal error/i.test(said) ? "server" : null;
}

const windowWords = new RegExp(
  [
    "prompt is too long",
    "exceed context limit",
    "context[_ ]length[_ ]exceeded",
    "maximum context length",
    "context window",
    "input token count .{0,40}exceeds",
    "exceeds? the (available|maximum) context",
    "exceed_context_size",
    "context (length|size) of only",
    "greater than the context length",
    "exceeded max context",
    "maximum prompt length",
    "reduce the length of the (messages|prompt)",
    "request_too_large",
    "too large for model with",
  ].join("|"),
  "i",
);

const modelWords =
  /model_not_found|not a valid model|model .{0,80}(not found|does not exist|is not supported)|unknown model|no such model/i;

/** A word that short stands in sentences by chance, and is nobody's key. */
function isKey(value: string): boolean {
  return value.length >= 8;
}
