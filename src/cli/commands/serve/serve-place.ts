import { resolve } from "node:path";
import type { ListenPlace } from "../../../http/listen.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";

/** Where the daemon is to listen; null when the person leaves that to it. */
export function readPlace(invocation: Invocation): ListenPlace | null {
  const port = invocation.value("port");
  const socketPath = invocation.value("socket");
  if (port !== undefined && socketPath !== undefined) throw new UsageError("Give --port or --socket, not both.");
  // Whoever asks for the daemon later may be in another folder.
  if (socketPath !== undefined) return { socketPath: resolve(socketPath) };
  if (port === undefined) return null;
  const number = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (number <= 65_535) return { port: number };
  throw new UsageError(`--port takes a port from 0 (any that is free) to 65535; got "${port}".`);
}
