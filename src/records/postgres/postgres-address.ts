import { RuntimeError } from "../../core/errors.ts";

export interface PostgresAddress {
  /** For the driver; holds the password. */
  readonly url: string;
  /** For people: without password and options. */
  readonly name: string;
}

/** Throws CONFIG_INVALID, never with what was given: it may hold a password. */
export function readPostgresAddress(given: string): PostgresAddress {
  const url = parse(given);
  if (!url) {
    throw new RuntimeError(
      "CONFIG_INVALID",
      "The store must be the address of a PostgreSQL database, as in postgres://user@host/database; what was given is none.",
    );
  }
  const mode = url.searchParams.get("sslmode");
  if (mode !== null && !modes.has(mode)) {
    throw new RuntimeError(
      "CONFIG_INVALID",
      `The sslmode of the store ${describe(url)} must be one of ${[...modes].join(", ")}; got "${mode}".`,
    );
  }
  // The driver takes these three for `verify-full` as well, and warns on standard error.
  if (unclearModes.has(mode ?? "")) url.searchParams.set("sslmode", "verify-full");
  return { url: url.href.replace(standIn, ""), name: describe(url) };
}

const modes = new Set(["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"]);
const unclearModes = new Set(["prefer", "require", "verify-ca"]);
/** An address with a user and without a host, as for a Unix socket, is no URL for the parser. */
const standIn = "no-host.invalid";

function parse(given: string): URL | undefined {
  if (!/^postgres(ql)?:\/\//.test(given)) return undefined;
  const whole = given.replace(/^([a-z]+:\/\/(?:[^/?#@]*@)?)(?=[/?#]|$)/, `$1${standIn}`);
  return URL.parse(whole) ?? undefined;
}

function describe(url: URL): string {
  const user = url.username === "" ? "" : `${url.username}@`;
  const host = url.searchParams.get("host") ?? url.host.replace(standIn, "");
  return `postgres://${user}${host.startsWith("/") ? encodeURIComponent(host) : host}${url.pathname}`;
}
