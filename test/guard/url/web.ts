import { createServer, type RequestListener, type IncomingMessage } from "node:http";
import { connect as openSocket, type AddressInfo, type Server } from "node:net";
import { createServer as createPlainServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { Clock } from "../../../src/core/clock.ts";
import type { Connect } from "../../../src/guard/url/connect.ts";
import {
  createGuardedFetch,
  type FetchLimits,
  type FetchRefusal,
  type GuardedResponse,
} from "../../../src/guard/url/guarded-fetch.ts";
import { defaultUrlPolicy, type UrlPolicy } from "../../../src/guard/url/url-policy.ts";

export const publicAddress = "93.184.215.14";

/** A small internet: names as the test says, and every connection ends at one real server on this machine. */
export interface Web {
  /** Each `address:port` that somebody tried to connect to. */
  readonly connected: string[];
  /** Each name that was resolved. */
  readonly resolved: string[];
  readonly requests: IncomingMessage[];
  fetch(url: string, options?: FetchOptions): Promise<GuardedResponse | FetchRefusal>;
}

export interface FetchOptions {
  readonly signal?: AbortSignal;
  readonly policy?: Partial<UrlPolicy>;
  readonly limits?: Partial<FetchLimits>;
  readonly clock?: Clock;
}

export interface WebOptions {
  /** The answers of the resolver, in order, the last one for ever; a name that is missing has one public address. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** What the operating system says it is connected to; otherwise the address that was asked for. */
  readonly remoteAddress?: string;
  /** Addresses where nobody answers. */
  readonly dead?: readonly string[];
}

export async function openWeb(t: TestContext, serve: RequestListener, options: WebOptions = {}): Promise<Web> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    serve(request, response);
  });
  return openWebOn(t, server, { ...options, requests });
}

/** The same with a server that speaks something else. */
export async function openRawWeb(
  t: TestContext,
  serve: (socket: Socket) => void,
  options: WebOptions = {},
): Promise<Web> {
  return openWebOn(t, createPlainServer(serve), { ...options, requests: [] });
}

async function openWebOn(
  t: TestContext,
  server: Server,
  { names = {}, remoteAddress, dead = [], requests }: WebOptions & { readonly requests: IncomingMessage[] },
): Promise<Web> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port: realPort } = server.address() as AddressInfo;
  const connected: string[] = [];
  const resolved: string[] = [];
  const connect: Connect = ({ address, port }) => {
    connected.push(`${address}:${port}`);
    if (dead.includes(address)) return Promise.reject(new Error("connect ECONNREFUSED"));
    const socket = openSocket({ host: "127.0.0.1", port: realPort });
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Connect>>>();
    socket.once("error", reject);
    socket.once("connect", () => resolve({ stream: socket, remoteAddress: remoteAddress ?? address }));
    return promise;
  };
  return {
    connected,
    resolved,
    requests,
    fetch(url, { signal = new AbortController().signal, policy, limits, clock } = {}) {
      const fetchGuarded = createGuardedFetch({
        policy: { ...defaultUrlPolicy, ...policy },
        connect,
        ...(limits ? { limits } : {}),
        ...(clock ? { clock } : {}),
        resolve(name) {
          const answers = names[name] ?? [[publicAddress]];
          const answer = answers[Math.min(resolved.filter((each) => each === name).length, answers.length - 1)]!;
          resolved.push(name);
          return Promise.resolve(answer);
        },
      });
      return fetchGuarded(url, { signal });
    },
  };
}
