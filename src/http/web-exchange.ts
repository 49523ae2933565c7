import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";

type Answer = (request: Request) => Promise<Response>;

/** Carries one exchange of Node's server over to a handler of the web's own types, and its answer back. */
export async function exchange(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const left = new AbortController();
  const onClose = (): void => left.abort();
  response.once("close", onClose);
  try {
    await sendResponse(await answer(toRequest(request, left.signal)), response);
  } finally {
    response.off("close", onClose);
  }
}

function toRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return new Request(new URL(request.url ?? "/", "http://localhost"), {
    method: request.method ?? "GET",
    headers,
    body: Readable.toWeb(request) as ReadableStream,
    duplex: "half",
    signal,
  });
}

async function sendResponse(answer: Response, response: ServerResponse): Promise<void> {
  if (response.destroyed) {
    await answer.body?.cancel();
    return;
  }
  // What was not read of the request would be taken for the next one.
  if (!response.req.complete) response.setHeader("connection", "close");
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  const reader = answer.body?.getReader();
  const stop = (): void => void reader?.cancel().catch(() => undefined);
  response.once("close", stop);
  try {
    for (let part = await reader?.read(); part && !part.done && !response.destroyed; part = await reader?.read()) {
      if (!response.write(part.value) && !response.destroyed) await drained(response);
    }
    response.end();
  } finally {
    response.off("close", stop);
  }
}

/** Also when it never will be, because whoever reads has gone. Leaves no listener behind. */
async function drained(response: ServerResponse): Promise<void> {
  const enough = new AbortController();
  try {
    await Promise.race(["drain", "close"].map((event) => once(response, event, { signal: enough.signal })));
  } finally {
    enough.abort();
  }
}
