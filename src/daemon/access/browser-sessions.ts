import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { digestOf } from "../../http/bearer.ts";
import type { LoginKind } from "./login-codes.ts";
import { openPrivateFile } from "./private-file.ts";

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
