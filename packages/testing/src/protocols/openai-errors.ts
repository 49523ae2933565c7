import type { ModelFailure } from "../../../../src/core/model.ts";

/** Chat Completions and Responses fail alike. */
export function openaiStatusOf({ status, kind }: ModelFailure): number {
  // 529 is Anthropic's own; a script may still order it.
  if (kind === "overloaded") return status === null || status === 529 ? 503 : status;
  return status ?? (kind === "script" ? 400 : 500);
}

export function openaiErrorBody(failure: ModelFailure, status: number): unknown {
  return { error: { message: failure.message, type: typeOf(status), param: null, code: openaiCodeOf(failure) } };
}

export function openaiCodeOf({ kind }: ModelFailure): string | null {
  if (kind === "key") return "invalid_api_key";
  if (kind === "unknown_model") return "model_not_found";
  if (kind === "rate_limit") return "rate_limit_exceeded";
  if (kind === "window") return "context_length_exceeded";
  return kind === "server" || kind === "overloaded" ? "server_error" : null;
}

function typeOf(status: number): string {
  if (status === 429) return "requests";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
