import { readFileSync } from "node:fs";
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { getCACertificates } from "node:tls";
import { codeOf, RuntimeError } from "../core/errors.ts";
import type { Environment } from "./model-settings.ts";

/**
 * A fetch that goes through HTTPS_PROXY, HTTP_PROXY and NO_PROXY and trusts the certificates of NODE_EXTRA_CA_CERTS and
 * SSL_CERT_FILE. Without any of them it is Node's own. This machine is always reached directly. Follows no redirects.
 */
export function openFetch(env: Environment): typeof globalThis.fetch {
  const proxyEnv = proxiesOf(env);
  const authorities = authoritiesOf(env);
  if (!proxyEnv && authorities.length === 0) return globalThis.fetch;
  const ca = authorities.length > 0 ? { ca: [...getCACertificates("default"), ...authorities] } : {};
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

function isThisMachine(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function proxiesOf(env: Environment): Record<string, string> | null {
  const names = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];
  const set: Record<string, string> = {};
  for (const name of names) {
    const variable = [name.toLowerCase(), name].find((each) => env[each]?.trim());
    if (variable) set[name] = name === "NO_PROXY" ? env[variable]! : proxyAddress(env[variable]!.trim(), variable);
  }
  const all = (env["all_proxy"] ?? env["ALL_PROXY"])?.trim();
  if (all && !set["HTTPS_PROXY"]) set["HTTPS_PROXY"] = proxyAddress(all, "ALL_PROXY");
  return set["HTTPS_PROXY"] || set["HTTP_PROXY"] ? set : null;
}

function proxyAddress(text: string, variable: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.parse(address);
  if (url && ["http:", "https:"].includes(url.protocol)) return address;
  throw new RuntimeError(
    "CONFIG_INVALID",
    `${variable} must name an http or https proxy, like http://host:8080, but it is ${JSON.stringify(text)}; correct or unset it.`,
  );
}

function authoritiesOf(env: Environment): string[] {
  const variables = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].filter((each) => env[each]?.trim());
  return variables.flatMap((variable) => {
    // Node read that one itself when it started.
    if (variable === "NODE_EXTRA_CA_CERTS" && getCACertificates("extra").length > 0) return [];
    return [readAuthority(env[variable]!.trim(), variable)];
  });
}

function readAuthority(path: string, variable: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new RuntimeError(
      "CONFIG_INVALID",
      `${variable} names ${path}, which can't be read (${codeOf(error) ?? "unknown"}); correct or unset it.`,
      { cause: error },
    );
  }
}
