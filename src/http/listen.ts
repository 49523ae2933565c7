import { once } from "node:events";
import { chmodSync, existsSync, lstatSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { dirname } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../core/errors.ts";

/** On 127.0.0.1 only (0: any free port), or a Unix socket. There is no other choice. */
export type ListenPlace = { readonly port: number } | { readonly socketPath: string };

export interface Listening {
  /** What `Host` has to say, exactly. */
  readonly hosts: readonly string[];
  /** `http://127.0.0.1:PORT`; null for a socket. */
  readonly origin: string | null;
}

const loopback = "127.0.0.1";
/** In bytes, where it is shortest (macOS). */
const longestSocketPath = 103;

/** Rejects with CONFIG_INVALID and one sentence when that place can't be had. `what`: as in `MCP can't be served on …`. */
export async function listenOn(server: Server, place: ListenPlace, what: string): Promise<Listening> {
  try {
    if ("socketPath" in place) await removeDeadSocket(place.socketPath);
    const listening = once(server, "listening");
    if ("socketPath" in place) server.listen(place.socketPath);
    else server.listen({ port: place.port, host: loopback });
    await listening;
    if ("socketPath" in place) chmodSync(place.socketPath, 0o600);
  } catch (thrown) {
    const where = "socketPath" in place ? `the socket ${place.socketPath}` : `port ${place.port} of ${loopback}`;
    const sentence = `${what} can't be served on ${where}: ${explain(thrown, place)}; name another one.`;
    throw new RuntimeError("CONFIG_INVALID", sentence, { cause: thrown });
  }
  if ("socketPath" in place) return { hosts: ["localhost"], origin: null };
  const { port } = server.address() as AddressInfo;
  const hosts = [loopback, "localhost", "[::1]"].map((host) => `${host}:${port}`);
  return { hosts, origin: `http://${loopback}:${port}` };
}

function explain(thrown: unknown, place: ListenPlace): string {
  const isTaken = codeOf(thrown) === "EADDRINUSE";
  if (!("socketPath" in place)) return isTaken ? "another program listens there" : messageOf(thrown);
  const { socketPath } = place;
  if (isTaken) return lstatSync(socketPath).isSocket() ? "another program listens there" : "a file is there already";
  if (Buffer.byteLength(socketPath) > longestSocketPath) return "that path is too long for a socket";
  return existsSync(dirname(socketPath)) ? messageOf(thrown) : "its folder does not exist";
}

/** A server that was killed leaves its socket behind; one that lives, or another kind of file, is left alone. */
async function removeDeadSocket(path: string): Promise<void> {
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (!file?.isSocket()) return;
  const client = connect(path);
  try {
    await once(client, "connect");
  } catch (thrown) {
    if (codeOf(thrown) === "ECONNREFUSED") rmSync(path, { force: true });
  } finally {
    client.destroy();
  }
}
