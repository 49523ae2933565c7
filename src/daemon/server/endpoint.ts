import type { IncomingMessage, ServerResponse } from "node:http";
import type { Visitor } from "../access/visitors.ts";
import { sendJson } from "./send.ts";
import { ApiAnswer, type ApiParts, type Right, type Route } from "./route.ts";

/** One thing the server answers, with all that the order of checks needs to know about it. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** `owner`: only the person themselves; `nothing`: anybody who got to the right host. */
  readonly needs: readonly Right[] | "owner" | "nothing";
  /** Taken here is the token of MCP clients as well. */
  readonly isForMcp?: boolean;
  /** `itself`: it reads what comes by its own rules. Left out: JSON for a POST. */
  readonly body?: "itself";
  /** Answered also while the runtime is not there yet, or not any more. */
  readonly isAlways?: boolean;
  answer(exchange: Exchange): Promise<void> | void;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Of whom nothing was needed: nobody in particular. */
  readonly visitor: Visitor;
  /** Whether who asked would be let in again now: tokens are removed, and logins end. */
  readonly isStillIn: () => boolean;
  /** Aborted when the client hangs up, or the daemon stops. */
  readonly signal: AbortSignal;
}

/** `parts` are there once the runtime is. */
export function endpointOf(route: Route, parts: () => ApiParts): Endpoint {
  const { method, path, right } = route;
  return {
    method,
    path,
    needs: [right],
    async answer({ params, query, body, visitor, signal, response }) {
      const { rights, who } = visitor;
      const answer = await route.handle({ params, query, body, rights, who, signal }, parts());
      if (answer instanceof ApiAnswer) sendJson(response, answer.status, answer.body);
      else sendJson(response, 200, answer);
    },
  };
}
