import type { FailureKind } from "../../core/model.ts";
import { type AnswerFault, tellFault } from "../streaming/answer-fault.ts";
import type { ModelSource } from "../model-source.ts";
import type { ErrorReading } from "./read-error.ts";
import type { StopCause } from "../streaming/watch-request.ts";

/** What went wrong, and how it was found out. */
export interface Problem extends ErrorReading {
  readonly kind: FailureKind;
  /** Why the answer is no reply; null when it is one, or none came. */
  readonly fault: AnswerFault | null;
  /** Who stopped the request; null when nobody did. */
  readonly stop: StopCause | null;
}

/** One sentence for a person, with its full stop. */
export function tellFailure(problem: Problem, source: ModelSource): string {
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
