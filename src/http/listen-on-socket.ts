import { once } from "node:events";
import { existsSync, lstatSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { connect } from "node:net";
import { dirname, resolve as resolvePath } from "node:path";
import { codeOf, messageOf } from "../core/errors.ts";

/** In bytes, where it is shortest (macOS). */
const longestSocketPath = 103;

/** Of a new socket nothing but reading and writing by its owner is left. */
const othersOut = 0o177;

/** Nobody else can open it, at no moment. Resolves to the way to close it. */
export async function listenOnSocket(server: Server, path: string): Promise<() => Promise<void>> {
  checkFolder(path);
  await removeDeadSocket(path);
  const listening = once(server, "listening");
  // The socket is made before `listen` returns: nothing else of this process gets this mask.
  const usual = process.umask(othersOut);
  try {
    server.listen(path);
  } finally {
    process.umask(usual);
  }
  await listening;
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** What is wrong, as the end of a sentence. */
export function explainSocket(thrown: unknown, path: string): string {
  if (codeOf(thrown) === "EADDRINUSE") return "another program listens there";
  if (Buffer.byteLength(path) > longestSocketPath) return "that path is too long for a socket";
  return existsSync(folderOf(path)) ? messageOf(thrown) : "its folder does not exist";
}

/** Whoever can write to the folder can put a socket of their own in the place of ours, and is sent the tokens. */
function checkFolder(path: string): void {
  const folder = lstatSync(folderOf(path), { throwIfNoEntry: false });
  if (!folder || process.getuid === undefined) return;
  if (folder.isSymbolicLink()) throw new Error("its folder is a link, which may lead elsewhere tomorrow");
  if (folder.uid !== process.getuid()) throw new Error("its folder is another user's");
  if ((folder.mode & 0o022) !== 0) throw new Error("others can write to its folder (chmod go-w takes that away)");
}

function folderOf(path: string): string {
  return dirname(resolvePath(path));
}

/** A server that was killed leaves its socket behind; one that lives is left alone, and so is what is no socket. */
async function removeDeadSocket(path: string): Promise<void> {
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (!file) return;
  // Not "in use", which may pass: a file stays until somebody takes it away.
  if (!file.isSocket()) throw new Error("a file is there already");
  const client = connect(path);
  try {
    await once(client, "connect");
  } catch (thrown) {
    if (codeOf(thrown) === "ECONNREFUSED") rmSync(path, { force: true });
  } finally {
    client.destroy();
  }
}
