import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { digestOf } from "../../http/bearer.ts";
import { openPrivateFile } from "./private-file.ts";

/** Browsers that logged in. The file has digests only, and lets them stay logged in over a restart of the daemon. */
export interface BrowserSessions {
  /** The secret that becomes the cookie. */
  create(): string;
  has(secret: string): boolean;
  end(secret: string): void;
}

export const sessionMs = 30 * 24 * 60 * 60 * 1000;
/** Of more than this the oldest is logged out. */
const mostSessions = 100;

interface Kept {
  readonly digest: string;
  readonly expires_at: number;
}

export function openBrowserSessions(stateFolder: string, clock: Clock): BrowserSessions {
  const file = openPrivateFile(join(stateFolder, "daemon-logins.json"));
  const sessions = new Map(readKept(file.read()).map((kept) => [kept.digest, kept.expires_at]));

  function keep(): void {
    for (const [digest, expiresAt] of sessions) if (expiresAt <= clock.now()) sessions.delete(digest);
    while (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!);
    file.write([...sessions].map(([digest, expires_at]): Kept => ({ digest, expires_at })));
  }

  return {
    create() {
      const secret = randomBytes(32).toString("base64url");
      sessions.set(digestOf(secret), clock.now() + sessionMs);
      keep();
      return secret;
    },
    has: (secret) => (sessions.get(digestOf(secret)) ?? 0) > clock.now(),
    end(secret) {
      if (sessions.delete(digestOf(secret))) keep();
    },
  };
}

function readKept(found: unknown): Kept[] {
  if (!Array.isArray(found)) return [];
  return (found as Partial<Kept>[]).filter(
    (each): each is Kept => typeof each?.digest === "string" && typeof each.expires_at === "number",
  );
}
