import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { digestOf } from "../../http/bearer.ts";
import { openPrivateFile } from "./named-tokens.ts";

/** Browsers that logged in. The file has digests only, and lets them stay logged in over a restart of the daemon. */
export interface BrowserSessions {
  /** The secret that becomes the cookie. */
  create(kind: LoginKind): string;
  /** Undefined: it is not logged in, or not any more. */
  find(secret: string): LoginKind | undefined;
  end(secret: string): void;
}

export const sessionMs = 30 * 24 * 60 * 60 * 1000;
/** Of more than this the oldest is logged out. */
const mostSessions = 100;

interface Kept {
  readonly digest: string;
  readonly expires_at: number;
  /** Left out: the owner's. */
  readonly kind?: LoginKind;
}

export function openBrowserSessions(stateFolder: string, clock: Clock): BrowserSessions {
  const file = openPrivateFile(join(stateFolder, "daemon-logins.json"));
  const sessions = new Map(readKept(file.read()).map((kept) => [kept.digest, kept]));

  function keep(): void {
    for (const { digest, expires_at } of sessions.values()) if (expires_at <= clock.now()) sessions.delete(digest);
    while (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!);
    file.write([...sessions.values()]);
  }

  return {
    create(kind) {
      const secret = randomBytes(32).toString("base64url");
      const digest = digestOf(secret);
      sessions.set(digest, { digest, expires_at: clock.now() + sessionMs, kind });
      keep();
      return secret;
    },
    find(secret) {
      const found = sessions.get(digestOf(secret));
      return found && found.expires_at > clock.now() ? (found.kind ?? "owner") : undefined;
    },
    end(secret) {
      if (sessions.delete(digestOf(secret))) keep();
    },
  };
}

function readKept(found: unknown): Kept[] {
  if (!Array.isArray(found)) return [];
  return (found as Partial<Kept>[]).filter(
    (each): each is Kept =>
      typeof each?.digest === "string" &&
      typeof each.expires_at === "number" &&
      (each.kind === undefined || each.kind === "owner" || each.kind === "looking"),
  );
}

/** What lets a browser in, once and within a minute. Kept in memory only. */
export interface LoginCodes {
  create(kind: LoginKind): LoginCode;
  /** What it lets in, once. */
  use(code: string): LoginKind | undefined;
}

/** `looking`: a browser that may read, and decide nothing. */
export type LoginKind = "owner" | "looking";

export interface LoginCode {
  readonly code: string;
  readonly expiresAt: number;
}

const codeMs = 60_000;
/** Who makes more than this without using them loses the oldest. */
const mostCodes = 20;

export function createLoginCodes(clock: Clock): LoginCodes {
  /** By digest, so that finding one tells nothing by the time it takes. */
  const codes = new Map<string, { readonly kind: LoginKind; readonly until: number }>();
  return {
    create(kind) {
      const code = randomBytes(24).toString("base64url");
      if (codes.size >= mostCodes) codes.delete(codes.keys().next().value!);
      codes.set(digestOf(code), { kind, until: clock.monotonic() + codeMs });
      return { code, expiresAt: clock.now() + codeMs };
    },
    use(code) {
      const digest = digestOf(code);
      const found = codes.get(digest);
      codes.delete(digest);
      return found && clock.monotonic() < found.until ? found.kind : undefined;
    },
  };
}
