import type { IncomingMessage, ServerResponse } from "node:http";

/** Why a request is not let in, or can't be answered. */
export interface Refusal {
  readonly status: number;
  readonly sentence: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As short as it can be, and always the end of the connection: the rest of such a request is not wanted. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Omit<Refusal, "sentence"> & { readonly body: unknown },
): void {
  request.resume();
  response
    .writeHead(status, { "content-type": "application/json", connection: "close", ...headers })
    .end(JSON.stringify(body));
}
