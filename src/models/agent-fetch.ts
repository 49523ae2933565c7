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
    return send(request, signal, isThisMachine(new URL(request.url).hostname) ? direct : proxied);
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
