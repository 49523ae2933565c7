import { once } from "node:events";
import type { Server } from "node:http";
import { createServer, type AddressInfo, type ListenOptions, type Server as Listener } from "node:net";
import { codeOf } from "../core/errors.ts";

interface OnLoopback {
  readonly port: number;
  /** As a `Host` has them. */
  readonly addresses: readonly string[];
  readonly close: () => Promise<void>;
}

export const loopback = "127.0.0.1";
const loopback6 = "::1";

/** A port that is free on one of the addresses may be taken on the other. */
const mostTries = 20;

/**
 * Listens on 127.0.0.1, and on the same port of ::1 where this machine has it: `localhost` means either, and another user who
 * took that port there would be sent what is meant for us.
 */
export async function listenOnLoopback(server: Server, wanted: number): Promise<OnLoopback> {
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
