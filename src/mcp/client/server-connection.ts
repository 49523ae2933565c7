import type { Clock } from "../../core/clock.ts";
import type { Channel, OnMessage } from "./transport/channel.ts";
import {
  type Fields,
  isRequest,
  isResponse,
  McpProblem,
  methodNotFound,
  type RpcId,
  type RpcMessage,
} from "./mcp-json-rpc.ts";
import { quoteText } from "../../guard/terminal-text/quote-text.ts";

export interface RequestOptions {
  readonly timeoutMs?: number;
  /** Sent along with the request, so that the server may tell how far it is. */
  readonly onProgress?: (progress: Fields) => void;
}

/** An answer that is under way. */
export interface PendingAnswer {
  readonly id: RpcId;
  /** Rejects with an McpProblem. */
  readonly answer: Promise<Fields>;
  /** Tells the server that nobody waits any more. It may still answer. */
  cancel(reason: string): void;
  /** Nobody looks at the answer any more; whatever carries it is let go. */
  forget(): void;
}

/** Answers what the server asks of us; undefined: it is not offered here. `about`: see `OnMessage`. */
export type AnswerServer = (method: string, params: Fields, about: RpcId | undefined) => Promise<Fields> | undefined;

/** Requests and answers over a channel, matched by their ids. */
export interface Connection {
  ask(method: string, params: Fields, options?: RequestOptions): PendingAnswer;
  notify(method: string, params?: Fields): void;
  /** Goes into every request from now on. */
  useMeta(meta: Fields): void;
}

interface Waiting {
  readonly resolve: (result: Fields) => void;
  readonly reject: (problem: McpProblem) => void;
  readonly onProgress: RequestOptions["onProgress"];
}

export interface ConnectionParts {
  readonly clock: Clock;
  readonly answerServer: AnswerServer;
  readonly onNotification: (method: string, params: Fields) => void;
}

/** `open` gets the handler that the channel is to call. */
export async function openConnection(
  { clock, answerServer, onNotification }: ConnectionParts,
  open: (onMessage: OnMessage) => Promise<Channel>,
): Promise<{ readonly connection: Connection; readonly channel: Channel }> {
  const waiting = new Map<RpcId, Waiting>();
  let nextId = 0;
  let meta: Fields = {};
  let strayAnswers = 0;
  const channel = await open((message, about) => take(message, about));
  let over: string | undefined;
  void channel.ended.then((why) => {
    over = why;
    for (const each of waiting.values()) each.reject(new McpProblem("lost", why));
    waiting.clear();
  });

  function take(message: RpcMessage, about: RpcId | undefined): void {
    if (isResponse(message)) return settle(message);
    const params = message.params ?? {};
    if (isRequest(message)) return void respond(message.id, answerServer(message.method, params, about));
    if (message.method !== "notifications/progress") return onNotification(message.method, params);
    const token = params["progressToken"];
    if (typeof token === "number" || typeof token === "string") waiting.get(token)?.onProgress?.(params);
  }

  function settle(message: Extract<RpcMessage, { result: Fields } | { error: unknown }>): void {
    const pending = message.id === null ? undefined : waiting.get(message.id);
    if (pending === undefined) return void (strayAnswers += 1);
    waiting.delete(message.id!);
    if ("result" in message) pending.resolve(message.result);
    else pending.reject(new McpProblem("refused", `answered: ${quoteText(message.error.message, 2000)}`));
  }

  async function respond(id: RpcId, answering: Promise<Fields> | undefined): Promise<void> {
    if (answering === undefined) {
      const error = { code: methodNotFound, message: "This client does not offer that; go on without it." };
      return post({ jsonrpc: "2.0", id, error });
    }
    const result = await answering.catch(() => undefined);
    if (result !== undefined) return post({ jsonrpc: "2.0", id, result });
    await post({ jsonrpc: "2.0", id, error: { code: -32_603, message: "This client could not answer." } });
  }

  /** For messages that have no answer: if the channel is broken, its end says so. */
  function post(message: RpcMessage): Promise<void> {
    return channel.send(message).catch(() => undefined);
  }

  function whySilent(timeoutMs: number): string {
    const noise = channel.noise();
    const seconds = `within ${timeoutMs / 1000} s`;
    if (noise !== null) return `did not answer ${seconds}; what it printed instead is not MCP: "${noise}"`;
    return strayAnswers > 0
      ? `did not answer ${seconds}: what it sent are answers to requests that nobody made.`
      : `did not answer ${seconds}.`;
  }

  const connection: Connection = {
    ask(method, params, { timeoutMs, onProgress } = {}) {
      const id = ++nextId;
      const { promise, resolve, reject } = Promise.withResolvers<Fields>();
      const letGo = new AbortController();
      waiting.set(id, { resolve, reject, onProgress });
      const token = onProgress === undefined ? {} : { progressToken: id };
      const allMeta = { ...meta, ...token };
      const withMeta = Object.keys(allMeta).length === 0 ? params : { ...params, _meta: allMeta };
      // Nobody would tell a request that came after the end.
      if (over === undefined)
        channel.send({ jsonrpc: "2.0", id, method, params: withMeta }, letGo.signal).catch(reject);
      else reject(new McpProblem("lost", over));
      const cancelTimer =
        timeoutMs === undefined
          ? undefined
          : clock.after(timeoutMs, () => {
              reject(new McpProblem("lost", whySilent(timeoutMs)));
              letGo.abort();
            });
      const answer = promise.finally(() => {
        cancelTimer?.();
        waiting.delete(id);
      });
      return {
        id,
        answer,
        cancel: (reason) => connection.notify("notifications/cancelled", { requestId: id, reason }),
        forget() {
          reject(new McpProblem("lost", "was not waited for."));
          letGo.abort();
        },
      };
    },
    notify: (method, params = {}) => void post({ jsonrpc: "2.0", method, params }),
    useMeta: (next) => void (meta = next),
  };
  return { connection, channel };
}
