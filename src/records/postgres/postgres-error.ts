import { codeOf, messageOf, RuntimeError, type ErrorCode } from "../../core/errors.ts";

/** Whatever the driver or the server threw, as one sentence that says what to do. RuntimeErrors pass. */
export function toPostgresError(thrown: unknown, name: string): RuntimeError {
  if (thrown instanceof RuntimeError) return thrown;
  const state = codeOf(thrown) ?? "";
  const known = isUntrusted(thrown)
    ? untrusted
    : [5, 2].map((length) => byState[state.slice(0, length)]).find((each) => each !== undefined);
  const [code, say] = known ?? (isConnectionLoss(thrown) ? unreachable : failed);
  return new RuntimeError(code, say(name, tidy(messageOf(thrown))), { cause: thrown });
}

/** The server may have done what was asked, or not: the connection broke before it could say so. */
export function isConnectionLoss(thrown: unknown): boolean {
  const cause = thrown instanceof RuntimeError ? thrown.cause : thrown;
  const state = codeOf(cause) ?? "";
  return state.startsWith("08") || state.startsWith("57P") || !/^[0-9A-Z]{5}$/.test(state) || state.startsWith("E");
}

/** It may come back without any change of the settings: the server can't be reached, or has no connection left. */
export function isAway(thrown: unknown): boolean {
  if (!(thrown instanceof RuntimeError)) return false;
  const { code, cause } = thrown;
  // What comes from a file has its path.
  const isAbsent = cause instanceof Error && !("path" in cause) && isConnectionLoss(cause) && !isUntrusted(cause);
  return code === "STORE_BUSY" || (code === "STORE_UNAVAILABLE" && isAbsent);
}

/** Codes of OpenSSL, of Node, and of a server that can't do TLS at all; and of a file with certificates that is not there. */
function isUntrusted(thrown: unknown): boolean {
  const code = codeOf(thrown) ?? "";
  return (
    /CERT|^UNABLE_TO_|SIGNATURE|^ERR_TLS_|^ERR_OSSL_|^ERR_SSL_/.test(code) ||
    (/^(?:ENOENT|EACCES|EISDIR)$/.test(code) && (thrown as NodeJS.ErrnoException).syscall !== "connect") ||
    /does not support SSL/.test(messageOf(thrown))
  );
}

type Sentence = readonly [ErrorCode, (name: string, detail: string) => string];

const unreachable: Sentence = [
  "STORE_UNAVAILABLE",
  (name, detail) =>
    `The store ${name} can't be reached: ${detail}. What runs goes on; start PostgreSQL again, or correct the address.`,
];
const untrusted: Sentence = [
  "STORE_UNAVAILABLE",
  (name, detail) =>
    `The store ${name} can't be reached safely: ${detail}. Name the certificate that signed the server's in its address (sslrootcert=/path/to/ca.pem) and the host as that certificate has it; sslmode=no-verify would take any server for the right one.`,
];
const failed: Sentence = [
  "STORE_UNAVAILABLE",
  (name, detail) => `The store ${name} could not do that: ${detail}. Nothing was changed; look into the server's log.`,
];
const refused: Sentence = [
  "STORE_UNAVAILABLE",
  (name, detail) => `The store ${name} does not let us in: ${detail}. Correct the user or the password in its address.`,
];
const busy: Sentence = ["STORE_BUSY", (name, detail) => `The store ${name} is busy (${detail}): try again.`];
const broken: Sentence = ["STORE_DAMAGED", describeDamage];

/** By SQLSTATE, or its class (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const byState: Readonly<Record<string, Sentence>> = {
  "28": refused,
  "3D": [
    "STORE_UNAVAILABLE",
    (name, detail) => `The store ${name} is missing: ${detail}. Create the database, or correct the address.`,
  ],
  "40": busy,
  "55P03": busy,
  "57014": busy,
  "25P03": busy,
  "53300": busy,
  "53": ["STORE_FULL", (name, detail) => `The server of the store ${name} has no room left (${detail}): free some.`],
  "25006": [
    "STORE_READ_ONLY",
    (name, detail) => `The store ${name} can't be written (${detail}): give the address of the primary server.`,
  ],
  "42501": [
    "STORE_READ_ONLY",
    (name, detail) =>
      `The user of the store ${name} may not do that (${detail}): give it the right to create schemas in the database, or the rights of the user who made deckhand and deckhand_queue there.`,
  ],
  "42": broken,
  "3F": broken,
  XX: broken,
};

export function damaged(name: string, detail: string, options: ErrorOptions): RuntimeError {
  return new RuntimeError("STORE_DAMAGED", describeDamage(name, detail), options);
}

function describeDamage(name: string, detail: string): string {
  return `The store ${name} is not as it should be (${detail}): restore its schemas deckhand and deckhand_queue, or remove both to start anew.`;
}

function tidy(message: string): string {
  // What Node advises besides is for programmers.
  return message
    .replace(/; if the root CA is installed.*/, "")
    .trim()
    .replace(/\.$/, "");
}
