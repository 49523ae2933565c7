import { connect as openSocket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as openTls } from "node:tls";
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { isSameAddress } from "./classify-address.ts";
import { FetchProblem } from "./url-verdict.ts";

export interface Connection {
  readonly stream: Duplex;
  /** Whom the operating system says it is connected to. */
  readonly remoteAddress: string | undefined;
}

/** Opens a plain connection to exactly this address: never a name, never another one. */
export type Connect = (target: {
  readonly address: string;
  readonly port: number;
  /** Of the attempt only; later the stream is destroyed by its owner. */
  readonly signal: AbortSignal;
}) => Promise<Connection>;

export const connectTcp: Connect = ({ address, port, signal }) => {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const socket = openSocket({ host: address, port });
  const onAbort = (): void => void socket.destroy(new Error("the attempt was given up"));
  signal.addEventListener("abort", onAbort, { once: true });
  socket.once("error", reject);
  socket.once("connect", () => {
    socket.off("error", reject);
    resolve({ stream: socket, remoteAddress: socket.remoteAddress });
  });
  return promise.finally(() => signal.removeEventListener("abort", onAbort));
};

/** With more addresses to try, none may take all the time. */
const attemptMs = 5000;

/** Tries the addresses in their order. Connected to any other one than was asked for, it is over. */
export async function connectToOne(
  addresses: readonly string[],
  port: number,
  { connect, clock, signal }: { readonly connect: Connect; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Duplex> {
  const failures: string[] = [];
  for (const [index, address] of addresses.entries()) {
    const attempt = new AbortController();
    const onAbort = (): void => attempt.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const stopTimer = index === addresses.length - 1 ? undefined : clock.after(attemptMs, () => attempt.abort());
    try {
      signal.throwIfAborted();
      const { stream, remoteAddress } = await connect({ address, port, signal: attempt.signal });
      // From here on its errors are those of the request; before that somebody has to listen.
      stream.on("error", () => undefined);
      if (remoteAddress !== undefined && isSameAddress(remoteAddress, address)) return stream;
      stream.destroy();
      const sentence = `${address} was checked, but the connection led to ${remoteAddress ?? "an unknown address"}.`;
      throw new FetchProblem("url.address", sentence);
    } catch (thrown) {
      if (thrown instanceof FetchProblem) throw thrown;
      signal.throwIfAborted();
      failures.push(`${address}: ${attempt.signal.aborted ? "no answer" : messageOf(thrown)}`);
    } finally {
      stopTimer?.();
      signal.removeEventListener("abort", onAbort);
    }
  }
  throw new FetchProblem("fetch.failed", `No connection to port ${port} (${failures.join("; ")}).`);
}

/** Encrypts the connection. The name that was asked for is the name that the certificate must have, and the one in SNI. */
export async function secure(stream: Duplex, host: string, isAddress: boolean): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const secured = openTls({
    socket: stream,
    host,
    ...(isAddress ? {} : { servername: host }),
    ALPNProtocols: ["http/1.1"],
  });
  secured.once("secureConnect", () => resolve(secured));
  secured.on("error", reject);
  stream.once("close", () => reject(new Error("the connection was closed before it was encrypted")));
  return promise;
}
