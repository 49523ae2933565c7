import type { IncomingMessage } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { timeToWire } from "../../core/wire.ts";
import { endpoint as mcpPath, type McpHandler } from "../../mcp/server/http/serve-http.ts";
import { type BrowserSessions, type LoginCodes, sessionMs } from "../access/browser-sessions.ts";
import { countFailures, readCookie, tooMany } from "../access/visitors.ts";
import { checkQuery, readParameter } from "../api/read-request.ts";
import type { Endpoint } from "./route.ts";
import type { EventHub } from "../events/event-hub.ts";
import { HttpError, sendJson } from "./send.ts";

export type DaemonState = "starting" | "ready" | "stopping";

export interface OwnParts {
  readonly state: () => DaemonState;
  /** Why nothing could be recorded now; null when it can. */
  readonly findWriteProblem: () => Promise<string | null>;
  readonly codes: LoginCodes;
  readonly sessions: BrowserSessions;
  readonly cookieName: () => string;
  /** What a page has to show beside the cookie with that secret. */
  readonly pageKeyOf: (secret: string) => string;
  readonly hub: () => EventHub;
  /** A login ended, and with it the event streams that it opened. */
  readonly recheckStreams: () => void;
  readonly mcp: () => McpHandler;
  readonly stop: () => void;
  /** False when nobody would start it again. */
  readonly restart: () => boolean;
  readonly clock: Clock;
}

const mostWrongCodes = 5;
const wrongCodesMs = 30_000;

/** What is about the daemon itself: health, login, the event stream, MCP, the orders to stop and to restart. */
export function createOwnEndpoints(parts: OwnParts): readonly Endpoint[] {
  return [...healthEndpoints(parts), ...loginEndpoints(parts), ...streamEndpoints(parts)];
}

function healthEndpoints({ state, findWriteProblem, stop, restart }: OwnParts): readonly Endpoint[] {
  return [
    {
      method: "GET",
      path: "/healthz",
      needs: "nothing",
      isAlways: true,
      answer: ({ response }) => sendJson(response, 200, { status: "ok" }),
    },
    {
      method: "GET",
      path: "/readyz",
      needs: "nothing",
      isAlways: true,
      async answer({ response }) {
        // Where it is, and why, is for those who may look at the status.
        const isUnwritable = state() === "ready" && (await findWriteProblem()) !== null;
        const status = isUnwritable ? "unwritable" : state();
        sendJson(response, status === "ready" ? 200 : 503, { status });
      },
    },
    {
      method: "POST",
      path: "/api/stop",
      needs: "owner",
      isAlways: true,
      answer({ response }) {
        sendJson(response, 202, { status: "stopping" });
        stop();
      },
    },
    {
      method: "POST",
      path: "/api/restart",
      needs: "owner",
      isAlways: true,
      answer({ response }) {
        if (!restart()) throw new HttpError("NOT_WATCHED", "No watchdog is there to start this daemon again.");
        sendJson(response, 202, { status: "restarting" });
      },
    },
  ];
}

function loginEndpoints(parts: OwnParts): readonly Endpoint[] {
  const { codes, sessions, cookieName, pageKeyOf, recheckStreams, clock } = parts;
  const failures = countFailures(mostWrongCodes, wrongCodesMs, clock);
  const cookie = (value: string, seconds: number): string =>
    `${cookieName()}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  return [
    {
      method: "POST",
      path: "/api/login/code",
      needs: "owner",
      isAlways: true,
      answer({ query, response }) {
        const kind = query.get("kind") ?? "owner";
        if (kind !== "owner" && kind !== "looking") {
          throw new HttpError("BAD_REQUEST", 'kind is "owner" or "looking".');
        }
        const { code, expiresAt } = codes.create(kind);
        sendJson(response, 200, { code, expires_at: timeToWire(expiresAt) });
      },
    },
    {
      method: "POST",
      path: "/api/login",
      needs: "nothing",
      isAlways: true,
      answer({ body, response }) {
        const { code } = Object(body) as { readonly code?: unknown };
        if (typeof code !== "string") throw new HttpError("BAD_REQUEST", 'Expected {"code": "…"}.');
        // First of all: whoever sends wrong codes must not keep the person with the right one out.
        const kind = codes.use(code);
        if (!kind) {
          const wait = failures.waitMs();
          if (wait > 0) throw tooMany(wait);
          failures.add();
          throw new HttpError(
            "UNAUTHORIZED",
            "This code is wrong, was used, or is older than a minute; `deckhand serve open` makes another.",
          );
        }
        const secret = sessions.create(kind);
        // Of too many logins the oldest is ended.
        recheckStreams();
        response.setHeader("set-cookie", cookie(secret, sessionMs / 1000));
        sendJson(response, 200, { page_key: pageKeyOf(secret) });
      },
    },
    {
      method: "POST",
      path: "/api/logout",
      needs: [],
      isAlways: true,
      answer({ request, response }) {
        const secret = readCookie(request, cookieName());
        if (secret !== undefined) sessions.end(secret);
        recheckStreams();
        response.setHeader("set-cookie", cookie("", 0));
        sendJson(response, 204, null);
      },
    },
  ];
}

function streamEndpoints({ hub, mcp }: OwnParts): readonly Endpoint[] {
  return [
    {
      method: "GET",
      path: "/api/events",
      needs: ["read"],
      answer({ request, response, query, isStillIn }) {
        checkQuery(query, ["after"]);
        return hub().open(response, lastIdOf(request) ?? readParameter(query, "after") ?? null, isStillIn);
      },
    },
    {
      method: "POST",
      path: mcpPath,
      needs: ["read", "run"],
      isForMcp: true,
      body: "itself",
      answer({ request, response }) {
        if (request.headers.expect !== undefined) response.writeContinue();
        return mcp().answer(request, response);
      },
    },
  ];
}

function lastIdOf(request: IncomingMessage): string | undefined {
  const id = request.headers["last-event-id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}
