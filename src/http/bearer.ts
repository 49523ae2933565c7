import { createHash, timingSafeEqual } from "node:crypto";

/** The token of `Authorization: Bearer TOKEN`, the only place where one is looked for. */
export function readBearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}

export const tokenWanted = {
  status: 401,
  sentence: "A token is needed: send Authorization: Bearer TOKEN.",
  headers: { "www-authenticate": 'Bearer realm="deckhand"' },
} as const;

/** Digests are of one length, whatever came, so that the time tells nothing. */
export function isSameSecret(given: string, expected: string): boolean {
  return isSameDigest(digestOf(given), digestOf(expected));
}

/** As a secret may be kept in a file: who reads it can't use it. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

export function isSameDigest(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
