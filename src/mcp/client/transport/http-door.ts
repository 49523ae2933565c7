import { Agent, request, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../../../core/clock.ts";
import { messageOf } from "../../../core/errors.ts";
import { quoteText } from "../../../guard/terminal-text/quote-text.ts";
import { connectTcp, connectToOne, secure } from "../../../guard/url/connect.ts";
import { decideProxy } from "../../../guard/url/decide-proxy.ts";
import { judgeAddresses, judgeUrl } from "../../../guard/url/judge-url.ts";
import { resolveBySystem } from "../../../guard/url/resolve-name.ts";
import type { AllowedUrl } from "../../../guard/url/url-verdict.ts";
import { McpProblem } from "../mcp-json-rpc.ts";

export interface HttpPlace {
  readonly clock: Clock;
  /** The person's environment: which proxy to use. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface DoorRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** With its query; left out: that of the configured URL. */
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Requests to one origin that a person named, over connections that are kept. */
export interface HttpDoor {
  readonly url: URL;
  /** Resolves with the answer's head, whatever its status. Follows no redirects: the headers may hold a token. */
  send(request: DoorRequest): Promise<IncomingMessage>;
  close(): void;
}

/** Throws an McpProblem when the URL may not be used. A host that the person named may be private; no redirect and no DNS answer makes it another. */
export function openHttpDoor(place: HttpPlace, address: string): HttpDoor {
  const url = URL.parse(address);
  if (url === null) throw new McpProblem("unavailable", `has a URL that is not valid: expected https://host/path.`);
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const policy = { allowPrivate: false, allowHosts: [`${url.hostname}:${port}`], ports: [port], blockPorts: [] };
  const verdict = judgeUrl(address, policy);
  if (!verdict.allowed) throw new McpProblem("unavailable", `can't be reached: ${verdict.reason}`);
  const closing = new AbortController();
  const agent = new PinnedAgent(() => open(verdict));

  async function open(target: AllowedUrl): Promise<Duplex> {
    const stream = await connect(target);
    return url!.protocol === "https:" ? secure(stream, target.host, target.isAddress) : stream;
  }

  async function connect(target: AllowedUrl): Promise<Duplex> {
    const proxy = isThisMachine(target.host) ? { kind: "direct" as const } : decideProxy(url!, place.env, "trust");
    if (proxy.kind === "proxy") {
      if (url!.protocol === "http:") {
        const message = `is at an http URL, which is not sent through the proxy of ${proxy.variable}: use https, or exempt the host in NO_PROXY.`;
        throw new McpProblem("unavailable", message);
      }
      const { openThroughProxy } = await import("../../../guard/url/open-through-proxy.ts");
      return (await openThroughProxy(proxy.proxy, target, closing.signal)).stream;
    }
    const addresses = target.isAddress ? [target.host] : await resolveBySystem(target.host);
    const refused = judgeAddresses(target, addresses, policy);
    if (refused) throw new McpProblem("unavailable", `can't be reached: ${refused.reason}`);
    return connectToOne(addresses, target.port, { connect: connectTcp, clock: place.clock, signal: closing.signal });
  }

  return {
    url,
    send({ method, path = url.pathname + url.search, headers, body, signal }) {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const outgoing = request({
        agent,
        method,
        path,
        headers: {
          host: url.host,
          "user-agent": "deckhand",
          ...headers,
          ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
        },
        signal,
      });
      outgoing.once("response", resolve);
      outgoing.on("error", (thrown) => reject(problemOf(thrown)));
      outgoing.end(body);
      return promise;
    },
    close() {
      closing.abort();
      agent.destroy();
    },
  };
}

/** Each connection goes where the check led to, and each is checked. */
class PinnedAgent extends Agent {
  private readonly open: () => Promise<Duplex>;
  constructor(open: () => Promise<Duplex>) {
    super({ keepAlive: true });
    this.open = open;
  }

  override createConnection(_options: unknown, callback?: (error: Error | null, stream: Duplex) => void): undefined {
    void this.connect(callback!);
  }

  private async connect(callback: (error: Error | null, stream: Duplex) => void): Promise<void> {
    let stream: Duplex;
    try {
      stream = await this.open();
    } catch (thrown) {
      callback(notConnected(thrown), undefined as unknown as Duplex);
      return;
    }
    callback(null, stream);
  }
}

function isThisMachine(host: string): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
}

/** Nothing was sent yet. */
function notConnected(thrown: unknown): McpProblem {
  if (thrown instanceof McpProblem) return thrown;
  return new McpProblem("unavailable", `can't be reached: ${asSentence(thrown)}`, { cause: thrown });
}

function problemOf(thrown: Error): McpProblem {
  if (thrown instanceof McpProblem) return thrown;
  return new McpProblem("lost", `broke the connection: ${asSentence(thrown)}`, { cause: thrown });
}

function asSentence(thrown: unknown): string {
  return messageOf(thrown).replace(/[.]?$/, ".");
}

/** What the longest answer in one piece may have. */
const mostBytes = 64 * 1024 * 1024;

export async function readText(response: IncomingMessage, limit = mostBytes): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > limit) {
      response.destroy();
      throw new McpProblem("protocol", `sent an answer of more than ${limit / 1024 / 1024} MB.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** A status that is no success, as a problem. Nothing was done for any of them but the last. */
export function problemOfStatus(response: IncomingMessage, body: string): McpProblem {
  const { statusCode = 0, headers } = response;
  const said = quoteText(body, 200);
  if (statusCode >= 300 && statusCode < 400) {
    const to = quoteText(headers.location ?? "elsewhere", 200);
    return new McpProblem(
      "unavailable",
      `is redirected to ${to}: put that URL into the settings if it is the right one.`,
    );
  }
  if (statusCode === 401 || statusCode === 403) {
    return new McpProblem(
      "unavailable",
      `wants to be authorized (HTTP ${statusCode}): put a token into its "headers", as in "Authorization": "Bearer \${TOKEN}".`,
    );
  }
  if (statusCode === 404 || statusCode === 405) {
    return new McpProblem(
      "unavailable",
      `has no MCP at this URL (HTTP ${statusCode}): correct "url", or set "type" to "sse" for an older server.`,
    );
  }
  const kind = statusCode >= 500 ? "lost" : "unavailable";
  return new McpProblem(kind, `answered with HTTP ${statusCode}${said === "" ? "" : `: ${said}`}.`);
}

export function mediaTypeOf({ headers }: IncomingMessage): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
}
