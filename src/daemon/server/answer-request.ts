import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { checkHost } from "../../http/check-host.ts";
import { countUnderWay } from "../access/count-open-requests.ts";
import type { Doorkeeper, Visitor } from "../access/visitors.ts";
import type { Endpoint } from "./endpoint.ts";
import { createRouter } from "./find-route.ts";
import { HttpError, toProblem } from "./http-error.ts";
import { checkBody, readJsonBody, strangersBody, usualBody } from "./read-json-body.ts";
import { sendError } from "./send.ts";

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
