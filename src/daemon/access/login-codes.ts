import { randomBytes } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { digestOf } from "../../http/bearer.ts";

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
