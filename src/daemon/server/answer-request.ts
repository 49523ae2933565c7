import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { checkHost } from "../../http/check-host.ts";
import type { Doorkeeper, Visitor } from "../access/visitors.ts";
import type { Endpoint } from "./route.ts";
import { HttpError, sendError, toProblem } from "./send.ts";

export interface RequestParts {
  readonly hosts: () => readonly string[];
  readonly endpoints: readonly Endpoint[];
  /** The files of the dashboard, for paths that no endpoint has. */
  readonly files: Endpoint;
  readonly doorkeeper: Doorkeeper;
  /** Why nothing that needs the runtime can be answered now; null when it can. */
  readonly whyNot: () => string | null;
  readonly mask: (text: string) => string;
  readonly clock: Clock;
  /** Told what nobody foresaw. */
  readonly onError: (thrown: unknown) => void;
}

export interface RequestHandler {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** What is under way is told to end. */
  abortAll(): void;
}

interface Chosen {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
}

const nobody: Visitor = { rights: new Set(), who: "nobody", isOwner: false, isMcpClient: false };

/** Host → Origin → route → method → token or cookie → right → how many already → content type → body. */
export function createRequestHandler(parts: RequestParts): RequestHandler {
  const find = createRouter(parts.endpoints);
  const underWay = new Set<AbortController>();
  const countRequest = countUnderWay();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    const onClose = (): void => left.abort();
    underWay.add(left);
    response.once("close", onClose);
    try {
      await admit(request, response, left.signal);
    } catch (thrown) {
      if (!response.destroyed) tellError(request, response, thrown);
    } finally {
      response.off("close", onClose);
      underWay.delete(left);
    }
  }

  async function admit(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const refusal = checkHost(request, parts.hosts());
    if (refusal) throw new HttpError("FORBIDDEN", refusal.sentence);
    const [path, query] = splitTarget(request.url ?? "");
    const { endpoint, params } = choose(request.method ?? "", path);
    const visitor = endpoint.needs === "nothing" ? nobody : admitVisitor(request, endpoint);
    const leave = endpoint.needs === "nothing" ? undefined : countRequest(visitor);
    try {
      const takesJson = endpoint.method === "POST" && endpoint.body === undefined;
      const limits = endpoint.needs === "nothing" ? strangersBody : usualBody;
      if (takesJson) checkBody(request, limits);
      const problem = endpoint.isAlways ? null : parts.whyNot();
      if (problem !== null) throw new HttpError("NOT_READY", problem, { "retry-after": "1" });
      await endpoint.answer({
        request,
        response,
        params,
        query: new URLSearchParams(query),
        body: takesJson ? await readJsonBody(request, response, { ...limits, clock: parts.clock }) : undefined,
        visitor,
        isStillIn: () => isStillIn(request, endpoint),
        signal,
      });
    } finally {
      leave?.();
    }
  }

  function choose(method: string, path: string): Chosen {
    const open = findOpen(path);
    // HEAD is a GET whose body Node leaves out.
    if (open && (method === "GET" || method === "HEAD")) return open;
    const found = find(method, path);
    if (found.kind === "found") return { endpoint: found.route, params: found.params };
    if (found.kind === "unknown" && !open) throw new HttpError("NOT_FOUND", `There is no ${path.slice(0, 200)}.`);
    const others = found.kind === "other_method" ? found.allowed : ["GET"];
    const allowed = open ? [...others, "HEAD"] : others;
    throw new HttpError("METHOD_NOT_ALLOWED", `Only ${allowed.join(" and ")} can be asked for here.`, {
      allow: allowed.join(", "),
    });
  }

  /** What anybody may look at: the health and the files of the dashboard. */
  function findOpen(path: string): Chosen | null {
    const found = find("GET", path);
    if (found.kind === "found")
      return found.route.needs === "nothing" ? { endpoint: found.route, params: found.params } : null;
    const isPage = found.kind === "unknown" && !/^\/(?:api|mcp)(?:\/|$)/.test(path);
    return isPage ? { endpoint: parts.files, params: { path } } : null;
  }

  function admitVisitor(request: IncomingMessage, endpoint: Endpoint): Visitor {
    const visitor = parts.doorkeeper.identify(request);
    const problem = whyForbidden(visitor, endpoint);
    if (problem !== null) throw new HttpError("FORBIDDEN", problem);
    return visitor;
  }

  function isStillIn(request: IncomingMessage, endpoint: Endpoint): boolean {
    if (endpoint.needs === "nothing") return true;
    const visitor = parts.doorkeeper.recognize(request);
    return visitor !== undefined && whyForbidden(visitor, endpoint) === null;
  }

  function tellError(request: IncomingMessage, response: ServerResponse, thrown: unknown): void {
    const error = toProblem(thrown);
    if (error.status >= 500 && error.code !== "NOT_READY") parts.onError(thrown);
    sendError(request, response, { ...error, message: parts.mask(error.message) });
  }

  return {
    answer,
    abortAll() {
      for (const each of underWay) each.abort();
    },
  };
}

/** Null when it is allowed. */
function whyForbidden(visitor: Visitor, { needs, isForMcp }: Endpoint): string | null {
  if (visitor.isMcpClient && !isForMcp) {
    return "The token of MCP clients is for /mcp alone; `deckhand serve token add NAME --rights read,run` makes one for the API.";
  }
  if (needs === "owner") {
    return visitor.isOwner ? null : "Only the person whose daemon this is can do that, with the token of their own.";
  }
  const missing = needs === "nothing" ? [] : needs.filter((right) => !visitor.rights.has(right));
  return missing.length === 0
    ? null
    : `This needs the right to ${missing.join(" and ")}, which ${visitor.who} has not.`;
}

/** Only the usual form: a request for another server's address (`GET http://…`) is none for us. */
function splitTarget(target: string): [string, string] {
  const at = target.indexOf("?");
  const path = at === -1 ? target : target.slice(0, at);
  if (!path.startsWith("/")) throw new HttpError("BAD_REQUEST", "The path has to begin with a slash.");
  return [path, at === -1 ? "" : target.slice(at + 1)];
}

/**
 * A program that asks for too much at once is told to wait, and can't take all connections from the others. Event streams
 * count. The person themselves is never told so.
 */
const mostUnderWay = 128;

/** What is returned counts a request, or throws an HttpError; what that returns is called when the request has ended. */
function countUnderWay(): (visitor: Visitor) => () => void {
  const counts = new Map<string, number>();
  return ({ who, isOwner }) => {
    if (isOwner) return () => {};
    const before = counts.get(who) ?? 0;
    if (before >= mostUnderWay) {
      const sentence = `${who} has ${before} requests under way already; wait until one has ended.`;
      throw new HttpError("TOO_MANY", sentence, { "retry-after": "1" });
    }
    counts.set(who, before + 1);
    return () => {
      const left = counts.get(who)! - 1;
      if (left === 0) counts.delete(who);
      else counts.set(who, left);
    };
  };
}

/** Anything that is found by method and path. */
export interface Routed {
  readonly method: "GET" | "POST";
  readonly path: string;
}

export type FoundRoute<Each extends Routed> =
  | { readonly kind: "found"; readonly route: Each; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: "other_method"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown" };

/** Made once: a path that says a word wins over one that takes any. */
export function createRouter<Each extends Routed>(
  routes: readonly Each[],
): (method: string, path: string) => FoundRoute<Each> {
  const known = routes
    .map((route) => ({ route, parts: route.path.split("/") }))
    .sort((a, b) => firstWildcard(b.parts) - firstWildcard(a.parts));
  return (method, path) => {
    const given = path.split("/");
    const fitting = known.filter(({ parts }) => fits(parts, given));
    const chosen = fitting.find(({ route }) => route.method === method);
    if (chosen) return { kind: "found", route: chosen.route, params: takeParams(chosen.parts, given) };
    if (fitting.length === 0) return { kind: "unknown" };
    return { kind: "other_method", allowed: [...new Set(fitting.map(({ route }) => route.method))] };
  };
}

function firstWildcard(parts: readonly string[]): number {
  const at = parts.findIndex((part) => part.startsWith(":"));
  return at === -1 ? Number.MAX_SAFE_INTEGER : at;
}

function fits(parts: readonly string[], given: readonly string[]): boolean {
  if (parts.length !== given.length) return false;
  return parts.every((part, index) => (part.startsWith(":") ? given[index] !== "" : part === given[index]));
}

/** Throws a URIError where something is badly encoded. */
function takeParams(parts: readonly string[], given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(given[index]!);
  }
  return params;
}

/** Nobody means more; what reads the body goes one level of the stack deeper with each. */
const deepest = 200;

export interface BodyLimits {
  readonly mostBytes: number;
  /** Until all of it is there; null: as long as any request may take. */
  readonly withinMs: number | null;
}

const usualBody: BodyLimits = { mostBytes: 1024 * 1024, withinMs: null };
/** Of somebody who has not shown a token: a code is short, and nobody types it into the connection. */
export const strangersBody: BodyLimits = { mostBytes: 4096, withinMs: 10_000 };

/** Before a byte of it is read: what it says about itself. */
function checkBody(request: IncomingMessage, { mostBytes }: BodyLimits): void {
  const type = request.headers["content-type"] ?? "";
  // Anything else could come from a form of any web page without being asked for first.
  if (!/^application\/json *(?:;|$)/i.test(type)) {
    throw new HttpError("UNSUPPORTED_TYPE", "Send JSON, with Content-Type: application/json.");
  }
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) throw tooLarge(mostBytes);
}

/** An object; no body at all is an empty one. */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  { mostBytes, withinMs, clock }: BodyLimits & { readonly clock: Clock },
): Promise<unknown> {
  // Whoever waits to be told that the body is wanted is told so only now.
  if (request.headers.expect !== undefined) response.writeContinue();
  const pieces = await collect(request, { mostBytes, withinMs, clock });
  const text = Buffer.concat(pieces).toString();
  if (text.trim() === "") return {};
  if (isTooDeep(text)) throw new HttpError("BAD_REQUEST", `The body is nested deeper than ${deepest} levels.`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new HttpError("BAD_REQUEST", "The body is not JSON.");
  }
}

/** By its brackets, outside of texts: nothing that calls itself may look at such a body. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (sign === "[" || sign === "{") {
      depth += 1;
      if (depth > deepest) return true;
    } else if (sign === "]" || sign === "}") depth -= 1;
  }
  return false;
}

function collect(
  request: IncomingMessage,
  { mostBytes, withinMs, clock }: BodyLimits & { readonly clock: Clock },
): Promise<Buffer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>();
  const pieces: Buffer[] = [];
  let bytes = 0;
  const stopWaiting = withinMs === null ? undefined : clock.after(withinMs, () => reject(tooSlow(withinMs)));
  request.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > mostBytes) reject(tooLarge(mostBytes));
    else pieces.push(piece);
  });
  request.once("end", () => resolve(pieces));
  request.once("error", reject);
  request.once("close", () => reject(new HttpError("BAD_REQUEST", "The body ended before it was whole.")));
  return promise.finally(() => {
    stopWaiting?.();
    request.removeAllListeners("data");
    request.pause();
  });
}

function tooSlow(withinMs: number): HttpError {
  return new HttpError("TOO_SLOW", `The body was not there within ${withinMs / 1000} s.`, { connection: "close" });
}

function tooLarge(mostBytes: number): HttpError {
  return new HttpError("TOO_LARGE", `A body has at most ${mostBytes} bytes here.`);
}
