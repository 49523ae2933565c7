import type { FailureKind, ModelFailure } from "../core/model.ts";
import type { ModelSource } from "./model-source.ts";
import { type ErrorReading, readError } from "./read-error.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { RequestWatch } from "./watch-request.ts";

/** The reply ended in the middle; `why` completes the sentence. */
export class CutError extends Error {
  override readonly name = "CutError";
}

export interface FailureContext {
  readonly source: ModelSource;
  readonly watch: Pick<RequestWatch, "cause" | "hasAnswered">;
}

/** What went wrong with a request, as one sentence and as a word to act upon. Never holds the key. */
export function toFailure(thrown: unknown, { source, watch }: FailureContext): ModelFailure {
  const error = readError(thrown);
  const kind = kindOf(thrown, error, watch);
  const isWait = kind === "rate_limit" || kind === "overloaded" || kind === "server";
  const message = sentenceOf(kind, error, { source, watch });
  return {
    kind,
    message: source.key && isKey(source.key.value) ? message.replaceAll(source.key.value, "***") : message,
    status: error.status,
    retryAfterMs: isWait ? retryAfterMs({ headers: error.headers, body: error.body, now: source.clock.now() }) : null,
  };
}

function kindOf(thrown: unknown, error: ErrorReading, watch: FailureContext["watch"]): FailureKind {
  const cause = watch.cause();
  if (cause) return cause === "aborted" ? "aborted" : "cut";
  if (thrown instanceof CutError) return "cut";
  const said = `${error.text} ${error.body}`;
  if (windowWords.test(said)) return "window";
  if (error.status !== null) return kindOfStatus(error.status, said);
  if (error.isNotAStream) return kindOfWords(said) ?? "rejected";
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

function sentenceOf(kind: FailureKind, error: ErrorReading, { source, watch }: FailureContext): string {
  const { title, modelName, providerName, key } = source;
  const said = error.text === "" ? "" : `: ${error.text}`;
  const host = URL.parse(source.baseUrl)?.host || title;
  switch (kind) {
    case "key":
      return key
        ? `${title} does not take the key from ${key.variable} (${host} answered ${error.status}); set a valid one.`
        : `${title} wants a key (${host} answered ${error.status}); set the variable that holds it.`;
    case "unknown_model":
      return `${title} does not know the model "${modelName}" (${host} answered ${error.status}${said}); ${
        providerName === "ollama" ? `run \`ollama pull ${modelName}\`` : "check its name and the base URL"
      }.`;
    case "unreachable":
      return `${title} can't be reached at ${host}${reasonOf(error)}`;
    case "rate_limit":
      return `${title} asks to wait: too many requests or tokens${said}`;
    case "overloaded":
      return `${title} is overloaded${said}`;
    case "server":
      return `${title} failed${error.status === null ? "" : ` with status ${error.status}`}${said}`;
    case "window":
      return `The conversation is longer than ${modelName} can read${said}`;
    case "cut":
      return watch.cause() === "stalled"
        ? `${title} sent nothing for ${Math.round(source.stallMs / 1000)} s, so the reply was given up.`
        : `The reply of ${title} was cut off${said}`;
    case "rejected":
      return error.isNotAStream
        ? `${host} answered with a document instead of a reply${error.body.trimStart().startsWith("<") ? "" : said}; check the base URL.`
        : `${title} did not take the request${error.status === null ? "" : ` (status ${error.status})`}${said}`;
    case "aborted":
      return "The request was stopped.";
    case "script":
      return `The script has no turn for this${said}`;
  }
}

function reasonOf({ code, text }: ErrorReading): string {
  switch (code) {
    case "ECONNREFUSED":
      return ": nothing listens there; is it running, and is the base URL right?";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return ": the host's name is not known; check the base URL and the network.";
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
    case "UND_ERR_HEADERS_TIMEOUT":
      return ": it did not answer in time; check the network and HTTPS_PROXY.";
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return `: its certificate is not trusted (${code}); name your authority's file in NODE_EXTRA_CA_CERTS.`;
    default:
      return `: ${code ?? text}.`;
  }
}

/** A word that short stands in sentences by chance, and is nobody's key. */
function isKey(value: string): boolean {
  return value.length >= 8;
}
