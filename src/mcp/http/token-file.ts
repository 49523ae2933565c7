import { lstatSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "../../core/errors.ts";
import { readOrCreateSecret } from "../../runtime/private-key.ts";

/** Where the token of this workdir's server lies: the person's own state, which no tool sees. */
export function tokenFileIn(stateFolder: string): string {
  return join(stateFolder, "mcp-token");
}

/** The token, made when there is none yet. Throws when others could have read or written it. */
export function readToken(path: string): string {
  const token = readOrCreateSecret(path);
  const file = lstatSync(path);
  const isOurs = process.getuid === undefined || file.uid === process.getuid();
  if (file.isFile() && isOurs && (file.mode & 0o077) === 0 && token.length >= shortest) return token;
  throw new RuntimeError(
    "CONFIG_INVALID",
    `The token file ${path} must be a file of yours that nobody else can read (mode 0600) with at least ${shortest} characters; delete it, and a new one is made.`,
  );
}

const shortest = 32;
