import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { getCACertificates } from "node:tls";
import type { Authority } from "./open-fetch.ts";

/** A fetch over Node's own agents, which know proxies and certificates. A file of its own: most never need it. */
export function openAgentFetch(options: {
  readonly proxyEnv: Readonly<Record<string, string>> | null;
  readonly authorities: readonly Authority[];
  /** Reached directly. */
  readonly isThisMachine: (hostname: string) => boolean;
}): typeof globalThis.fetch {
  const { proxyEnv, isThisMachine } = options;
  // Node read that one itself when it started.
  const hasExtra = getCACertificates("extra").length > 0;
  const authorities = options.authorities.filter(([, variable]) => variable !== "NODE_EXTRA_CA_CERTS" || !hasExtra);
  const ca =
    authorities.length > 0 ? { ca: [...getCACertificates("default"), ...authorities.map(([text]) => text)] } : {};
  const direct: Agents = {
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true, ...ca }),
  };
  const proxied: Agents = proxyEnv
    ? {
        http: new HttpAgent({ keepAlive: true, proxyEnv }),
        https: new HttpsAgent({ keepAlive: true, proxyEnv, ...ca }),
      }
    : direct;
  return (input, init) => {
    const request = new Request(input, init);
    // The caller's own signal: the one of a Request may be collected with it while the body still comes.
    const signal = init?.signal ?? request.signal;
    const url = new URL(request.url);
    if (!proxyEnv || isThisMachine(url.hostname)) return send(request, signal, direct);
    return send(request, signal, proxied).catch((error: unknown) => {
      throw blameProxy(error, url, proxyEnv);
    });
  };
}

type Agents = { readonly http: HttpAgent; readonly https: HttpsAgent };

async function send(request: Request, signal: AbortSignal, agents: Agents): Promise<Response> {
  signal.throwIfAborted();
  const url = new URL(request.url);
  const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
  // Nothing here unpacks what a server compressed.
  const headers = { ...Object.fromEntries(request.headers), "accept-encoding": "identity" };
  const options = { method: request.method, headers, signal };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing =
      url.protocol === "https:"
        ? requestHttps(url, { ...options, agent: agents.https })
        : requestHttp(url, { ...options, agent: agents.http });
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
    outgoing.end(body);
  });
  return new Response(hasBody(answer) ? toBody(answer) : null, {
    status: answer.statusCode ?? 502,
    statusText: answer.statusMessage ?? "",
    headers: toHeaders(answer),
  });
}

/** Without the name and the password that its address may hold. */
class ProxyError extends Error {
  override readonly name = "ProxyError";
  readonly proxy: string;
  readonly statusCode: unknown;
  constructor(proxy: string, cause: FailedConnection) {
    super(`The proxy ${proxy} failed.`, { cause });
    this.proxy = proxy;
    this.statusCode = cause.statusCode;
  }
}

interface FailedConnection {
  readonly code?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly hostname?: unknown;
  readonly statusCode?: unknown;
}

/** The same error, or one that names the proxy when it was the proxy that failed: NO_PROXY may have led past it. */
function blameProxy(error: unknown, url: URL, proxyEnv: Readonly<Record<string, string>>): unknown {
  const proxy = URL.parse(proxyEnv[url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY"] ?? "");
  if (!proxy) return error;
  const { errors } = Object(error) as { readonly errors?: unknown };
  const failed = Object(Array.isArray(errors) ? errors[0] : error) as FailedConnection;
  const isItsPort =
    failed.port === portOf(proxy) && (failed.address === proxy.hostname || portOf(url) !== portOf(proxy));
  const isIts = failed.code === "ERR_PROXY_TUNNEL" || failed.hostname === proxy.hostname || isItsPort;
  return isIts ? new ProxyError(proxy.host, failed) : error;
}

function portOf({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function hasBody({ statusCode = 0 }: IncomingMessage): boolean {
  return ![101, 204, 205, 304].includes(statusCode);
}

function toBody(answer: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(answer) as ReadableStream<Uint8Array>;
}

function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}
