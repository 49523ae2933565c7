import { pageKey } from "./page-key.ts";

/** What the daemon refused, in its own sentence; status 0 when it could not be reached at all. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface Sending {
  readonly signal?: AbortSignal;
}

export async function getJson<Answer>(path: string, sending: Sending = {}): Promise<Answer> {
  return (await send(path, { headers: ownHeader(), ...sending })) as Answer;
}

/** Anything that changes something is a POST with a JSON body. */
export async function postJson<Answer>(path: string, body: unknown = {}, sending: Sending = {}): Promise<Answer> {
  const headers = { ...ownHeader(), "Content-Type": "application/json" };
  return (await send(path, { method: "POST", headers, body: JSON.stringify(body), ...sending })) as Answer;
}

/** One sentence for a person, of whatever was thrown. */
export function sentenceOf(thrown: unknown): string {
  if (thrown instanceof Error && thrown.message !== "") return thrown.message;
  return "Something went wrong that has no description: see the daemon's log (deckhand serve logs).";
}

export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === "AbortError";
}

/** Whether the daemon could not be asked: it is away, starting or stopping. Trying again later makes sense. */
export function isAway(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 0 || thrown.status === 503);
}

export function isSignedOut(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.status === 401;
}

/** The text of the event stream, piece by piece, until it breaks; `lastId`: what was got last. */
export async function openStream(path: string, lastId: string, signal: AbortSignal): Promise<ReadableStream<string>> {
  const headers = { ...ownHeader(), ...(lastId === "" ? {} : { "Last-Event-ID": lastId }) };
  const response = await reach(path, { headers, signal });
  if (!response.ok || response.body === null) throw refusalOf(response.status, parse(await response.text()));
  return response.body.pipeThrough(new TextDecoderStream());
}

/** A page of another origin can't send it, so it proves that the request is ours. */
function ownHeader(): { readonly "X-Deckhand": string } {
  return { "X-Deckhand": pageKey() };
}

async function send(path: string, init: RequestInit): Promise<unknown> {
  const response = await reach(path, init);
  if (response.status === 204) return undefined;
  const document = parse(await response.text());
  if (response.ok && document !== undefined) return document;
  throw refusalOf(response.status, document);
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: "same-origin", redirect: "error", cache: "no-store" });
  } catch (thrown) {
    if (isAbort(thrown)) throw thrown;
    throw new ApiError(0, "AWAY", "The daemon does not answer. Is it still running? Start it with: deckhand serve");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON: the caller says so
  }
}

function refusalOf(status: number, document: unknown): ApiError {
  const { error } = Object(document) as { error?: { code?: unknown; message?: unknown } };
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return new ApiError(
    status,
    typeof code === "string" ? code : "UNKNOWN",
    typeof message === "string" ? message : `The daemon answered with status ${status} and nothing that can be read.`,
  );
}
