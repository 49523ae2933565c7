import type { IncomingMessage, ServerResponse } from "node:http";
import type { JournalReader } from "../../records/audit-log/log-reader.ts";
import type { LiveOutputs } from "../../records/live-outputs.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Visitor } from "../access/visitors.ts";
import { sendJson } from "./send.ts";

/** What somebody may do. None includes another: who can run can't approve what it runs. */
export type Right = (typeof rights)[number];
export const rights = ["read", "run", "approve"] as const;

/** One thing that can be asked of the daemon. Routes are data: the server finds, checks and answers, a route only translates. */
export interface Route {
  readonly method: "GET" | "POST";
  /** Such as `/api/calls/:id`; a part with a colon takes one segment, decoded. */
  readonly path: string;
  readonly right: Right;
  /**
   * Its answer is sent as JSON, as it is: routes give documents in wire form, the same that the command line prints. What it
   * throws becomes a status: an ApiError's own, or one by the error's code.
   */
  handle(request: ApiRequest, parts: ApiParts): Promise<unknown>;
}

export interface ApiRequest {
  /** The named parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body of a POST as parsed JSON; undefined for a GET. */
  readonly body: unknown;
  readonly rights: ReadonlySet<Right>;
  /** Whom the record names: the user, or the token's name. */
  readonly who: string;
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal;
}

export interface ApiParts {
  readonly runtime: Runtime;
  readonly journal: JournalReader;
  /** `followOutputs(runtime)`, from before the first call on. */
  readonly outputs: LiveOutputs;
  readonly status: () => DaemonStatus;
  /** `runtime.findWriteProblem()`, asked at most once a second. */
  readonly findWriteProblem: () => Promise<string | null>;
}

export interface DaemonStatus {
  readonly version: string;
  readonly workdir: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly url: string;
  /** Everything is started. Whether calls can be recorded is found by asking, and may change. */
  readonly isReady: boolean;
  readonly isSafeMode: boolean;
  readonly isWatched: boolean;
}

/** An answer with another status than 200: 202 for what goes on, 204 for nothing to say. */
export class ApiAnswer {
  readonly status: number;
  readonly body: unknown;
  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}

/** A refusal with its status and one sentence. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: ApiErrorCode;
  constructor(code: ApiErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = statuses[code];
  }
}

const statuses = { BAD_REQUEST: 400, FORBIDDEN: 403, NOT_FOUND: 404, CONFLICT: 409 } as const;
type ApiErrorCode = keyof typeof statuses;

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
