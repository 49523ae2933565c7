import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { codeOf, RuntimeError } from "../../../core/errors.ts";
import { readOrCreateSecret } from "../../../guard/secrets/private-key.ts";

/** Where the token of this workdir's server lies: the person's own state, which no tool sees. */
export function tokenFileIn(stateFolder: string): string {
  return join(stateFolder, "mcp-token");
}

/** The token, made when there is none yet. Throws when others could have read or written it, or it is none. */
export function readToken(path: string): string {
  // Looked at before it is read: who opens a pipe waits for ever, and a link may lead anywhere.
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || isPrivate(found)) {
    const token = readIfAllowed(path);
    if (token !== undefined && usable.test(token) && isPrivate(lstatSync(path))) return token;
  }
  throw new RuntimeError(
    "CONFIG_INVALID",
    `The token file ${path} must be a file of yours that nobody else can read (mode 0600) with at least 32 characters and no space among them; delete it, and a new one is made.`,
  );
}

function isPrivate(file: Stats): boolean {
  const isOurs = process.getuid === undefined || file.uid === process.getuid();
  return file.isFile() && isOurs && (file.mode & 0o077) === 0 && file.size <= mostBytes;
}

function readIfAllowed(path: string): string | undefined {
  try {
    return readOrCreateSecret(path);
  } catch (thrown) {
    if (codeOf(thrown) === "EACCES") return undefined;
    throw thrown;
  }
}

/** What a header can carry as one word. */
const usable = /^[\x21-\x7e]{32,}$/;
const mostBytes = 4096;
