import { codeOf, messageOf } from "../core/errors.ts";
import { NotAStreamError } from "./watch-request.ts";

/** What an error of a provider package tells, whatever its class. */
export interface ErrorReading {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The provider's own sentence, in one line and cut; empty when there is none. */
  readonly text: string;
  /** Of the system or the TLS library, such as ECONNREFUSED. */
  readonly code: string | null;
  readonly isNotAStream: boolean;
}

export function readError(thrown: unknown): ErrorReading {
  const error = Object(thrown) as Record<string, unknown>;
  const data = typeof error["responseBody"] === "string" ? error["responseBody"] : bodyOf(error);
  return {
    status: statusOf(error),
    headers: headersOf(error["responseHeaders"]),
    body: data,
    text: oneLine(sentenceOf(data) ?? messageOf(thrown)),
    code: networkCodeOf(thrown),
    isNotAStream: thrown instanceof NotAStreamError,
  };
}

function bodyOf(error: Record<string, unknown>): string {
  // In the middle of a stream the error is the plain object that came.
  const data = error["data"] ?? (error instanceof Error ? undefined : error);
  return data === undefined ? "" : JSON.stringify(data);
}

function statusOf(error: Record<string, unknown>): number | null {
  for (const value of [error["statusCode"], error["status"], error["code"]]) {
    const status = Number(value);
    if (Number.isInteger(status) && status >= 300 && status < 600) return status;
  }
  return null;
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  if (typeof headers !== "object" || headers === null) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** The first "message" or "error" text, however deep the provider hides it. */
function sentenceOf(body: string): string | null {
  try {
    return findSentence(JSON.parse(body));
  } catch {
    return /^\s*</.test(body) || body.trim() === "" ? null : body;
  }
}

function findSentence(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const { message, error, detail } = value as Record<string, unknown>;
  if (typeof message === "string" && message !== "") return message;
  if (typeof error === "string" && error !== "") return error;
  if (typeof detail === "string" && detail !== "") return detail;
  return findSentence(error) ?? findSentence(Array.isArray(value) ? value[0] : null);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

function networkCodeOf(thrown: unknown): string | null {
  let error: unknown = thrown;
  for (let depth = 0; depth < 6 && typeof error === "object" && error !== null; depth++) {
    const code = codeOf(error);
    if (code !== undefined && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
    const { errors, cause } = error as { readonly errors?: unknown; readonly cause?: unknown };
    error = Array.isArray(errors) ? errors[0] : cause;
  }
  return null;
}
