import { codeOf, messageOf } from "../../core/errors.ts";

/** What an error of a provider package tells, whatever its class. */
export interface ErrorReading {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The provider's own sentence, in one line and cut; empty when there is none. */
  readonly text: string;
  /** Of the system or the TLS library, such as ECONNREFUSED. */
  readonly code: string | null;
  /** The proxy on which it failed, as host and port. */
  readonly proxy: string | null;
  /** What came can't be read as a reply: why, to complete a sentence. */
  readonly garbled: string | null;
}

export function readError(thrown: unknown): ErrorReading {
  const error = Object(thrown) as Record<string, unknown>;
  const data = typeof error["responseBody"] === "string" ? error["responseBody"] : bodyOf(error);
  const causes = causesOf(thrown);
  return {
    status: statusOf(error),
    headers: headersOf(error["responseHeaders"]),
    body: data,
    text: oneLine(sentenceOf(data) ?? messageOf(thrown)),
    code: firstOf(causes, networkCodeOf),
    proxy: firstOf(causes, ({ proxy }) => (typeof proxy === "string" ? proxy : null)),
    garbled: firstOf(causes, garbledBy),
  };
}

/** What a document has to say for itself; empty when that is nothing, or a web page. */
export function readDocument(body: string): string {
  return oneLine(sentenceOf(body) ?? "");
}

function bodyOf(error: Record<string, unknown>): string {
  // In the middle of a stream the error is the plain object that came.
  const data = error["data"] ?? oddErrorOf(error) ?? (error instanceof Error ? undefined : error);
  try {
    return data === undefined ? "" : JSON.stringify(data);
  } catch {
    // Nested too deeply to be written down.
    return "";
  }
}

/** An error in a form that the package does not know is told by it as something that does not fit. */
function oddErrorOf({ name, value }: Cause): unknown {
  if (name !== "AI_TypeValidationError") return undefined;
  const { error } = Object(value) as { readonly error?: unknown };
  return error ? value : undefined;
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
    // A web page, or a document that was too long to be read whole.
    return /^\s*[<{[]/.test(body) || body.trim() === "" ? null : body;
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

type Cause = Readonly<Record<string, unknown>>;

/** The error and what it came from, the outermost first. */
function causesOf(thrown: unknown): Cause[] {
  const causes: Cause[] = [];
  let error: unknown = thrown;
  for (let depth = 0; depth < 6 && typeof error === "object" && error !== null; depth++) {
    const cause = error as Cause;
    causes.push(cause);
    error = Array.isArray(cause["errors"]) ? cause["errors"][0] : cause["cause"];
  }
  return causes;
}

function firstOf<Value>(causes: readonly Cause[], find: (cause: Cause) => Value | null): Value | null {
  for (const cause of causes) {
    const found = find(cause);
    if (found !== null) return found;
  }
  return null;
}

function networkCodeOf(cause: Cause): string | null {
  // A provider's own error, in the middle of a stream, has codes of its own.
  const code = cause instanceof Error ? codeOf(cause) : undefined;
  return code !== undefined && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : null;
}

/** The packages tell it by dumping what came; nobody wants to read that. */
function garbledBy(cause: Cause): string | null {
  const { name, message, code } = cause;
  if (oddErrorOf(cause) !== undefined) return null;
  if (name === "AI_JSONParseError" || name === "SyntaxError") return "a part of it is no JSON";
  if (String(message).startsWith("Maximum call stack")) return "it is nested too deeply";
  if (typeof code === "string" && /^(Z_|ERR_.*(BROTLI|ZLIB|ENCODING))/.test(code)) return "it can't be unpacked";
  const isUnfit =
    /^AI_(TypeValidation|InvalidResponseData)Error$/.test(String(name)) ||
    /^Expected a normalized|^Cannot read propert|is not (a function|iterable)$/.test(String(message));
  return isUnfit && !/ended without/.test(String(message))
    ? "a part of it does not have the form of its protocol"
    : null;
}
