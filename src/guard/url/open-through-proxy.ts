import { request } from "node:http";
import type { Duplex } from "node:stream";
import { connectTcp, secure } from "./connect.ts";
import { type AllowedUrl, FetchProblem } from "./url-verdict.ts";

/** A connection that a proxy makes for us. */
export interface ProxiedStream {
  readonly stream: Duplex;
  /** For plain http the proxy itself is asked, with the whole URL and these headers; null: it is a tunnel. */
  readonly proxyHeaders: Readonly<Record<string, string>> | null;
}

/** `proxy`: as HTTPS_PROXY has it, `http://user:password@host:port` or only `host:port`. Its password is in no message. */
export async function openThroughProxy(proxy: string, url: AllowedUrl, signal: AbortSignal): Promise<ProxiedStream> {
  const address = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new FetchProblem("fetch.failed", "The proxy of the environment is no http:// or https:// URL; correct it.");
  }
  const stream = await connectToProxy(address, signal);
  const headers = authorizationOf(address);
  if (url.href.startsWith("http:")) return { stream, proxyHeaders: headers };
  return { stream: await openTunnel(stream, url, { headers, signal }), proxyHeaders: null };
}

async function connectToProxy(address: URL, signal: AbortSignal): Promise<Duplex> {
  const host = address.hostname.replaceAll(/^\[|\]$/g, "");
  const isSecure = address.protocol === "https:";
  const port = Number(address.port || (isSecure ? 443 : 80));
  try {
    const { stream } = await connectTcp({ address: host, port, signal });
    stream.on("error", () => undefined);
    return isSecure ? await secure(stream, host, /^[\d.]+$|:/.test(host)) : stream;
  } catch (thrown) {
    throw new FetchProblem("fetch.failed", `The proxy ${host}:${port} of the environment does not answer.`, {
      cause: thrown,
    });
  }
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

function openTunnel(
  stream: Duplex,
  { host, port }: AllowedUrl,
  { headers, signal }: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const outgoing = request({
    createConnection: () => stream,
    method: "CONNECT",
    path: target,
    headers: { host: target, ...headers },
    signal,
  });
  outgoing.once("connect", ({ statusCode = 0 }, tunnel: Duplex) => {
    if (statusCode >= 200 && statusCode < 300) resolve(tunnel);
    else reject(new FetchProblem("fetch.failed", `The proxy answered ${statusCode} instead of opening a tunnel.`));
  });
  outgoing.on("error", reject);
  outgoing.once("close", () => reject(new Error("the proxy closed the connection")));
  outgoing.end();
  return promise;
}
