import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { isSameSecret, readBearer, tokenWanted } from "../../http/bearer.ts";
import { rights, type Right } from "../server/route.ts";
import { HttpError } from "../server/send.ts";
import type { BrowserSessions, LoginKind } from "./browser-sessions.ts";
import type { NamedToken, NamedTokens } from "./named-tokens.ts";

/** Somebody who was let in. */
export interface Visitor {
  readonly rights: ReadonlySet<Right>;
  /** Whom the record names. */
  readonly who: string;
  /** The person whose daemon this is, by the token of their own or in a browser that they logged in. */
  readonly isOwner: boolean;
  /** Of an MCP client: it is taken where MCP is spoken, and nowhere else. */
  readonly isMcpClient: boolean;
}

export interface Doorkeeper {
  /** Says who asks, or throws an HttpError. */
  identify(request: IncomingMessage): Visitor;
  /** The same, for a request that was let in before: who is not known any more is no wrong try. */
  recognize(request: IncomingMessage): Visitor | undefined;
}

export interface VisitorParts {
  readonly ownerToken: string;
  readonly mcpToken: string;
  readonly namedTokens: NamedTokens;
  readonly sessions: BrowserSessions;
  /** How the person is called in the records. */
  readonly owner: string;
  readonly cookieName: () => string;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
}

/** A wrong token is no accident when it comes again and again. Right ones are never made to wait. */
const mostFailures = 20;
const withinMs = 10_000;

const all: ReadonlySet<Right> = new Set(rights);
const reading: ReadonlySet<Right> = new Set(["read"]);
/** Never `approve`: an agent that can run must not be able to approve what it runs. */
const running: ReadonlySet<Right> = new Set(["read", "run"]);

export function createDoorkeeper(parts: VisitorParts): Doorkeeper {
  const failures = countFailures(mostFailures, withinMs, parts.clock);
  const owner: Visitor = { rights: all, who: parts.owner, isOwner: true, isMcpClient: false };
  const mcpClient: Visitor = { rights: running, who: "mcp", isOwner: false, isMcpClient: true };

  const looking: Visitor = { rights: reading, who: parts.owner, isOwner: false, isMcpClient: false };

  function byToken(token: string): Visitor | undefined {
    if (isSameSecret(token, parts.ownerToken)) return owner;
    if (isSameSecret(token, parts.mcpToken)) return mcpClient;
    const named = findNamed(token);
    return named && { rights: new Set(named.rights), who: named.name, isOwner: false, isMcpClient: false };
  }

  /** A file that others may have written lets nobody in. */
  function findNamed(token: string): NamedToken | undefined {
    try {
      return parts.namedTokens.find(token);
    } catch (thrown) {
      parts.onError(thrown);
      return undefined;
    }
  }

  function byCookie(request: IncomingMessage): Visitor | undefined {
    const login = findLogin(request);
    const key = request.headers["x-deckhand"];
    if (!login || typeof key !== "string") return undefined;
    if (!isSameSecret(key, pageKeyOf(login.secret, parts.ownerToken))) return undefined;
    return login.kind === "owner" ? owner : looking;
  }

  function findLogin(request: IncomingMessage): { readonly secret: string; readonly kind: LoginKind } | undefined {
    const secret = readCookie(request, parts.cookieName());
    const kind = secret === undefined ? undefined : parts.sessions.find(secret);
    return kind && { secret: secret!, kind };
  }

  function recognize(request: IncomingMessage): Visitor | undefined {
    const { authorization } = request.headers;
    if (authorization === undefined) return byCookie(request);
    const token = readBearer(authorization);
    return token === undefined ? undefined : byToken(token);
  }

  return {
    recognize,
    identify(request) {
      const visitor = recognize(request);
      if (visitor) return visitor;
      const { authorization } = request.headers;
      // Nothing to guess: a page that is not logged in any more asks for many things at once.
      if (authorization === undefined) throw lacksKey(request) && findLogin(request) ? keyWanted() : unknown();
      const wait = failures.waitMs();
      if (wait > 0) throw tooMany(wait);
      failures.add();
      throw readBearer(authorization) === undefined ? unknown() : wrongToken();
    },
  };
}

function lacksKey({ headers }: IncomingMessage): boolean {
  return typeof headers["x-deckhand"] !== "string";
}

function keyWanted(): HttpError {
  return new HttpError("FORBIDDEN", "With the cookie of the dashboard the header X-Deckhand with its key is needed.");
}

function unknown(): HttpError {
  return new HttpError("UNAUTHORIZED", tokenWanted.sentence, tokenWanted.headers);
}

function wrongToken(): HttpError {
  const sentence =
    "This token is not known (it was removed, or is another daemon's): see `deckhand serve token`, or read daemon-token anew.";
  return new HttpError("UNAUTHORIZED", sentence, tokenWanted.headers);
}

/**
 * What a page shows beside its cookie. Browsers send cookies to every port of a machine, so a server on another one may get
 * ours; it can't make the key of it, and what the page keeps stays with its origin.
 */
export function pageKeyOf(secret: string, ownerToken: string): string {
  return createHmac("sha256", ownerToken).update(secret).digest("base64url");
}

export function tooMany(waitMs: number): HttpError {
  const seconds = Math.ceil(waitMs / 1000);
  return new HttpError("TOO_MANY", `Too many wrong tries: wait ${seconds} s.`, { "retry-after": String(seconds) });
}

export function readCookie(request: IncomingMessage, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** Where the token of the person whose daemon this is lies: their own state, which no tool sees. It has every right. */
export function ownerTokenIn(stateFolder: string): string {
  return join(stateFolder, "daemon-token");
}

export interface FailureCount {
  /** How long to wait before the next try; 0 when one may try now. */
  waitMs(): number;
  add(): void;
}

/** So many failures within the time, and everybody waits until that time is over. One number for all: they all come from this machine. */
export function countFailures(most: number, withinMs: number, clock: Clock): FailureCount {
  let begunAt = -Infinity;
  let failures = 0;
  const left = (): number => begunAt + withinMs - clock.monotonic();
  return {
    waitMs: () => (failures >= most ? Math.max(0, left()) : 0),
    add() {
      if (left() <= 0) {
        begunAt = clock.monotonic();
        failures = 0;
      }
      failures += 1;
    },
  };
}
