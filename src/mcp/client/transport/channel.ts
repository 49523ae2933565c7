import type { Readable } from "node:stream";
import type { SandboxReport } from "../../../core/call.ts";
import type { ProcessNote, StopReport } from "../../../core/process.ts";
import { readLines, type RpcId, type RpcMessage } from "../mcp-json-rpc.ts";

/** The way messages go to a server and come back, whatever carries them. */
export interface Channel {
  /**
   * Rejects with an McpProblem when the message could not be handed over or, where each request has an answer of its own, when
   * that ended without one. The signal lets go of the answer; it does not stop the work.
   */
  send(message: RpcMessage, signal?: AbortSignal): Promise<void>;
  /** From now on the server is spoken to in this version of the protocol. */
  useVersion(version: string): void;
  /** Begins to hear what the server says unasked, where that needs a request of its own. */
  listen(): void;
  /** Why it is over, as `McpProblem.message`. Never rejects. */
  readonly ended: Promise<string>;
  /** The program behind it; null when it is not ours. */
  readonly process: (ProcessNote & { readonly sandbox: SandboxReport }) | null;
  /** Lets the server end by itself, then ends it. Null: it is not ours to end. */
  close(): Promise<StopReport | null>;
  /** Ends it at once. */
  stop(): Promise<StopReport | null>;
  /** What came that was no message, for whoever waits in vain; null when there was nothing. */
  noise(): string | null;
}

/** `about`: the request of ours on whose stream the message came; undefined where all share one. */
export type OnMessage = (message: RpcMessage, about: RpcId | undefined) => void;

export interface ServerSentEvent {
  /** `message` when the server does not say. */
  readonly type: string;
  readonly data: string;
}

/** Calls back with each event of a `text/event-stream`; resolves when it ends, however that happens. */
export function readEvents(stream: Readable, onEvent: (event: ServerSentEvent) => void): Promise<void> {
  let type = "message";
  let data: string[] = [];
  readLines(stream, {
    onLine(line) {
      if (line === "") {
        if (data.length > 0) onEvent({ type, data: data.join("\n") });
        type = "message";
        data = [];
        return;
      }
      const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === "data") data.push(value);
      else if (field === "event") type = value;
    },
    onTooLong: () => void stream.destroy(),
  });
  return new Promise((resolve) => {
    stream.on("error", () => resolve());
    stream.once("close", resolve);
    stream.once("end", resolve);
  });
}
