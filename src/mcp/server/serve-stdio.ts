import type { Readable, Writable } from "node:stream";
import { serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
import { createServer, type ServerParts } from "./create-mcp-server.ts";
import { createLineTransport } from "./line-transport.ts";

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Told once, when the first answer is on its way: the time for what takes long and will be needed. */
  readonly onFirstAnswer?: () => void;
  /** What the client did wrong, or what failed beside any request. */
  readonly onError: (error: Error) => void;
}

export interface StdioDoor {
  /** Resolves when the client is gone, or after `close`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client over a pair of streams, whichever revision of the protocol it opens with. */
export function serveStdio(parts: ServerParts, options: StdioOptions): StdioDoor {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const transport = createLineTransport({
    input: options.input,
    output: options.output,
    clock: parts.clock,
    onFirstAnswer: options.onFirstAnswer ?? (() => undefined),
  });
  const connection = serveConnection(({ era }) => createServer(parts, era), { transport, onerror: options.onError });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    resolve();
  };
  return {
    closed,
    async close() {
      await connection.close();
      await closed;
    },
  };
}
