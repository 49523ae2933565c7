import type { FailureKind, ModelFailure } from "../../../src/core/model.ts";
import type { ScriptFailure } from "./script.ts";

/** The failure that a script orders, with what it leaves out. */
export function failureOf({ kind, status, message, retryAfterMs }: ScriptFailure): ModelFailure {
  const what = kind ?? kindOfStatus(status ?? 500);
  return {
    kind: what,
    message: message ?? sentences[what],
    status: status ?? statuses[what],
    retryAfterMs: retryAfterMs ?? null,
  };
}

/** The script itself does not go on. */
export function scriptFailure(message: string): ModelFailure {
  return { kind: "script", message, status: null, retryAfterMs: null };
}

export const abortedFailure: ModelFailure = {
  kind: "aborted",
  message: "The reply was stopped.",
  status: null,
  retryAfterMs: null,
};

function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return "key";
  if (status === 404) return "unknown_model";
  if (status === 413) return "window";
  if (status === 429) return "rate_limit";
  if (status === 503 || status === 529) return "overloaded";
  return status >= 500 ? "server" : "rejected";
}

const statuses: Readonly<Record<FailureKind, number | null>> = {
  key: 401,
  unknown_model: 404,
  unreachable: null,
  rate_limit: 429,
  overloaded: 529,
  server: 500,
  cut: null,
  window: 400,
  rejected: 400,
  aborted: null,
  script: null,
};

const sentences: Readonly<Record<FailureKind, string>> = {
  key: "The script says that the key is not valid.",
  unknown_model: "The script says that there is no such model.",
  unreachable: "The script says that nobody answers.",
  rate_limit: "The script says that there were too many requests.",
  overloaded: "The script says that the model is overloaded.",
  server: "The script says that the server failed.",
  cut: "The script says that the reply ended in the middle.",
  window: "The script says that the prompt is too long for the context window.",
  rejected: "The script says that the request is not valid.",
  aborted: "The reply was stopped.",
  script: "The script does not go on.",
};
