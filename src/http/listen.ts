import { once } from "node:events";
import { existsSync, lstatSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { type AddressInfo, connect, createServer, type ListenOptions, type Server as Listener } from "node:net";
import { dirname, resolve as resolvePath } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../core/errors.ts";

/** On this machine's own addresses only (0: any free port), or a Unix socket. There is no other choice. */
export type ListenPlace = { readonly port: number } | { readonly socketPath: string };

export interface Listening {
  /** What `Host` has to say, exactly. */
  readonly hosts: readonly string[];
  /** `http://127.0.0.1:PORT`; null for a socket. */
  readonly origin: string | null;
  /** Takes no more; resolves when all connections have ended. */
  readonly close: () => Promise<void>;
}

/** Rejects with CONFIG_INVALID and one sentence when that place can't be had. `what`: as in `MCP can't be served on …`. */
export async function listenOn(server: Server, place: ListenPlace, what: string): Promise<Listening> {
  try {
    if ("socketPath" in place) {
      return { hosts: ["localhost"], origin: null, close: await listenOnSocket(server, place.socketPath) };
    }
    const { port, addresses, close } = await listenOnLoopback(server, place.port);
    const hosts = [loopback, "localhost", ...addresses.slice(1)].map((host) => `${host}:${port}`);
    return { hosts, origin: `http://${loopback}:${port}`, close };
  } catch (thrown) {
    const sentence = `${what} can't be served on ${explain(thrown, place)}; name another one.`;
    throw new RuntimeError("CONFIG_INVALID", sentence, { cause: thrown });
  }
}

function explain(thrown: unknown, place: ListenPlace): string {
  if ("socketPath" in place) return `the socket ${place.socketPath}: ${explainSocket(thrown, place.socketPath)}`;
  const { address = loopback, port = place.port } = Object(thrown) as { readonly address?: string; port?: number };
  const why = codeOf(thrown) === "EADDRINUSE" ? "another program listens there" : messageOf(thrown);
  return `port ${port} of ${address}: ${why}`;
}

interface OnLoopback {
  readonly port: number;
  /** As a `Host` has them. */
  readonly addresses: readonly string[];
  readonly close: () => Promise<void>;
}

const loopback = "127.0.0.1";
const loopback6 = "::1";

/** A port that is free on one of the addresses may be taken on the other. */
const mostTries = 20;

/**
 * Listens on 127.0.0.1, and on the same port of ::1 where this machine has it: `localhost` means either, and another user who
 * took that port there would be sent what is meant for us.
 */
async function listenOnLoopback(server: Server, wanted: number): Promise<OnLoopback> {
  for (let tries = 1; ; tries += 1) {
    await bind(server, { host: loopback, port: wanted });
    const { port } = server.address() as AddressInfo;
    const second = createSecond(server);
    try {
      await bind(second, { host: loopback6, port, ipv6Only: true });
      const close = async (): Promise<void> => void (await Promise.all([server, second].map(closeListener)));
      return { port, addresses: [loopback, `[${loopback6}]`], close };
    } catch (thrown) {
      if (isAbsent(thrown)) return { port, addresses: [loopback], close: () => closeListener(server) };
      await closeListener(server);
      if (wanted !== 0 || codeOf(thrown) !== "EADDRINUSE" || tries === mostTries) throw thrown;
    }
  }
}

/** Its connections are the server's; with the options that a server of HTTP gives to its own. */
function createSecond(server: Server): Listener {
  const options = { allowHalfOpen: true, noDelay: true };
  const second = createServer(options, (socket) => void server.emit("connection", socket));
  second.maxConnections = server.maxConnections;
  return second;
}

async function bind(listener: Listener, options: ListenOptions): Promise<void> {
  const listening = once(listener, "listening");
  listener.listen(options);
  await listening;
}

/** Nobody else can have it either. */
function isAbsent(thrown: unknown): boolean {
  return ["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(codeOf(thrown) ?? "");
}

function closeListener(listener: Listener): Promise<void> {
  return new Promise((resolve) => listener.close(() => resolve()));
}

/** In bytes, where it is shortest (macOS). */
const longestSocketPath = 103;

/** Of a new socket nothing but reading and writing by its owner is left. */
const othersOut = 0o177;

/** Nobody else can open it, at no moment. Resolves to the way to close it. */
async function listenOnSocket(server: Server, path: string): Promise<() => Promise<void>> {
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
function explainSocket(thrown: unknown, path: string): string {
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
