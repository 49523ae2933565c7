import type { SandboxReport } from "../../../core/call.ts";
import type { ProcessNote, StopReport } from "../../../core/process.ts";
import type { RpcId, RpcMessage } from "../mcp-json-rpc.ts";

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
