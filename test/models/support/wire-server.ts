import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterTest } from "../../support/after-test.ts";

type Context = { after(hook: () => Promise<void>): void };

export interface WireRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown>;
  readonly message: IncomingMessage;
}

export interface WireServer {
  readonly url: string;
  readonly port: number;
  readonly requests: WireRequest[];
}

export type Answer = (request: WireRequest, response: ServerResponse) => void | Promise<void>;

/** A real server that answers every request with `answer` and remembers what it was asked. */
export async function serveWire(t: Context, answer: Answer): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const server: Server = createServer((message, response) => {
    void (async () => {
      let text = "";
      for await (const chunk of message) text += String(chunk);
      const headers = message.headers as Record<string, string>;
      const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
      const request = { path: message.url ?? "", headers, body, message };
      requests.push(request);
      await answer(request, response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterTest(t, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, requests };
}

/** Answers with a status and a body, as providers fail. */
export function refuse(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    const type = typeof body === "string" ? "text/plain" : "application/json";
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** Answers with the whole of a stream. */
export function stream(text: string): Answer {
  return (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(text);
  };
}
