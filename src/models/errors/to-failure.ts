import type { FailureKind, ModelFailure } from "../../core/model.ts";
import type { ModelSource } from "../model-options.ts";
import {
  AnswerError,
  type AnswerFault,
  type RequestWatch,
  type StopCause,
  tellFault,
} from "../streaming/watch-request.ts";
import { type ErrorReading, readDocument, readError } from "./read-error.ts";

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

/** What a server that wants us to wait says about how long, in all the forms that providers use. */
export interface RetryHint {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds since the epoch, for answers that give a time of day. */
  readonly now: number;
}

/** Milliseconds to wait; null when it says nothing. */
function retryAfterMs({ headers, body, now }: RetryHint): number | null {
  const wait =
    positive(headers["retry-after-ms"]) ??
    fromRetryAfter(headers["retry-after"], now) ??
    fromBody(body) ??
    fromResets(headers, now);
  return wait === null ? null : Math.min(wait, Number.MAX_SAFE_INTEGER);
}

function fromRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const seconds = positive(value);
  if (seconds !== null) return seconds * 1000;
  return until(Date.parse(value), now);
}

/** Google's RetryInfo, and the sentence of OpenAI ("Please try again in 1.2s"). */
function fromBody(body: string): number | null {
  const delay = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1] ?? /try again in ([\dhms.]+s)\b/i.exec(body)?.[1];
  if (delay === undefined) return null;
  return /^[\d.]+$/.test(delay) ? Number(delay) * 1000 : fromDuration(delay);
}

/** The longest of the limits that are used up: all of them must be free again. */
function fromResets(headers: RetryHint["headers"], now: number): number | null {
  const waits = Object.entries(headers).flatMap(([name, value]) => {
    if (!/ratelimit.*reset/.test(name)) return [];
    const left = headers[name.replace("reset", "remaining")];
    if (left !== undefined && Number(left) > 0) return [];
    return [fromReset(value, now)].filter((wait) => wait !== null);
  });
  return waits.length > 0 ? Math.max(...waits) : null;
}

function fromReset(value: string, now: number): number | null {
  const number = positive(value);
  if (number === null) return fromDuration(value) ?? until(Date.parse(value), now);
  // A time since the epoch in milliseconds or seconds, or else seconds to wait.
  if (number > 1e11) return until(number, now);
  return number > 1e8 ? until(number * 1000, now) : number * 1000;
}

/** `6m0s`, `1.2s`, `20ms`. */
function fromDuration(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return null;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) total += Number(amount) * units[unit!]!;
  return total;
}

function until(time: number, now: number): number | null {
  return Number.isNaN(time) ? null : Math.max(0, time - now);
}

function positive(text: string | undefined): number | null {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}

/** What went wrong, and how it was found out. */
interface Problem extends ErrorReading {
  readonly kind: FailureKind;
  /** Why the answer is no reply; null when it is one, or none came. */
  readonly fault: AnswerFault | null;
  /** Who stopped the request; null when nobody did. */
  readonly stop: StopCause | null;
}

/** One sentence for a person, with its full stop. */
function tellFailure(problem: Problem, source: ModelSource): string {
  const sentence = sentenceOf(problem, source);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

function sentenceOf(problem: Problem, source: ModelSource): string {
  const { title, modelName, providerName, key } = source;
  const { status } = problem;
  const words = problem.text.replace(/[.\s]+$/, "");
  const said = words === "" ? "" : `: ${words}`;
  const host = URL.parse(source.baseUrl)?.host || title;
  switch (problem.kind) {
    case "key":
      return key
        ? `${title} does not take the key from ${key.variable} (${host} answered ${status}); set a valid one.`
        : `${title} wants a key (${host} answered ${status}); set the variable that holds it.`;
    case "unknown_model":
      return `${title} does not know the model "${modelName}" (${host} answered ${status}${said}); ${
        providerName === "ollama" ? `run \`ollama pull ${modelName}\`` : "check its name and the base URL"
      }.`;
    case "unreachable":
      return `${title} can't be reached at ${host}: ${reasonOf(problem)}`;
    case "rate_limit":
      return `${title} asks to wait: too many requests or tokens${said}`;
    case "overloaded":
      return `${title} is overloaded${said}`;
    case "server":
      return `${title} failed${status === null ? "" : ` with status ${status}`}${said}`;
    case "window":
      return `The conversation is longer than ${modelName} can read${said}`;
    case "cut":
      return tellCut(problem, source, said);
    case "rejected":
      return problem.fault
        ? tellFault(problem.fault, { host, said: words })
        : `${title} did not take the request${status === null ? "" : ` (status ${status})`}${said}`;
    case "aborted":
      return "The request was stopped.";
    case "script":
      return `The script has no turn for this${said}`;
  }
}

function tellCut({ stop, garbled, code }: Problem, { title, stallMs }: ModelSource, said: string): string {
  if (stop === "stalled")
    return `${title} sent nothing for ${Math.round(stallMs / 1000)} s, so the reply was given up.`;
  if (garbled !== null) {
    return `The reply of ${title} can't be understood: ${garbled}; if that stays so, check the model and the base URL.`;
  }
  return `The reply of ${title} was cut off${code === null ? said : `: the connection broke (${code})`}`;
}

function reasonOf({ code, text, proxy, status }: Problem): string {
  const place = proxy === null ? "there" : `at the proxy ${proxy}`;
  const whose = proxy === null ? "the host's name" : `the name of the proxy ${proxy}`;
  const subject = proxy === null ? "it" : `the proxy ${proxy}`;
  switch (code) {
    case "ECONNREFUSED":
      return `nothing listens ${place}; is it running, and is ${proxy === null ? "the base URL" : "HTTPS_PROXY"} right?`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${whose} is not known; check ${proxy === null ? "the base URL" : "HTTPS_PROXY"} and the network.`;
    case "ERR_PROXY_TUNNEL":
      return `${subject} does not lead there (it answered ${status ?? "nothing"}); check HTTPS_PROXY, and who may use it.`;
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
    case "UND_ERR_HEADERS_TIMEOUT":
      return `${subject} did not answer in time; check the network and HTTPS_PROXY.`;
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return `its certificate is not trusted (${code}); name your authority's file in NODE_EXTRA_CA_CERTS.`;
    default:
      return proxy === null ? (code ?? text) : `the proxy ${proxy} failed (${code ?? text})`;
  }
}
