import type { Server } from "node:http";
import { codeOf, messageOf, RuntimeError } from "../core/errors.ts";
import { listenOnLoopback, loopback } from "./listen-on-loopback.ts";
import { explainSocket, listenOnSocket } from "./listen-on-socket.ts";

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
