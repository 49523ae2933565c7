import type { CallPart, CallResult } from "../../../src/core/message.ts";
import { noUsage, type Model, type ModelEvent, type ModelRequest } from "../../../src/core/model.ts";
import type { SessionEntry, SessionEntryBody } from "../../../src/core/session.ts";

/** A branch in memory, built as a session would be. */
export class Branch {
  readonly entries: SessionEntry[] = [];
  private calls = 0;

  append(body: SessionEntryBody): this {
    const parentId = this.entries.at(-1)?.id ?? null;
    this.entries.push({ ...body, v: 1, id: `e${this.entries.length + 1}`, parentId, at: 0 });
    return this;
  }

  user(text: string): this {
    return this.append({ type: "user", parts: [{ type: "text", text }] });
  }

  says(text: string): this {
    return this.reply([{ type: "text", text }]);
  }

  /** A reply with calls, and their results. */
  does(calls: readonly { tool: string; input: unknown; result: string; isError?: boolean }[], text = ""): this {
    const made = calls.map((call) => ({ ...call, callId: `call${++this.calls}` }));
    const parts = made.map(({ tool, callId, input }): CallPart => {
      return { type: "call", callId, tool, inputText: JSON.stringify(input) };
    });
    this.reply([...(text === "" ? [] : [{ type: "text", text } as const]), ...parts]);
    const results = made.map(({ tool, callId, result, isError = false }): CallResult => {
      return { callId, tool, text: result, isError };
    });
    return this.append({ type: "results", results });
  }

  private reply(parts: Extract<SessionEntryBody, { type: "assistant" }>["parts"]): this {
    const stop = parts.some(({ type }) => type === "call") ? "calls" : "end";
    return this.append({ type: "assistant", parts, model: "script/test", stop, usage: noUsage, cost: null });
  }
}

/** A model that answers each request as the function says; it keeps the requests. */
export function answeringModel(
  answer: (request: ModelRequest, count: number) => string | ModelEvent,
  contextTokens: number | null = null,
): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: "script/test",
    provider: "script",
    family: "other",
    limits: { contextTokens, maxOutputTokens: null },
    price: null,
    acceptsImages: false,
    requests,
    async *stream(request) {
      requests.push(request);
      const said = await Promise.resolve(answer(request, requests.length));
      if (typeof said !== "string") {
        yield said;
        return;
      }
      const usage = { ...noUsage, inputTokens: 100, outputTokens: 10 };
      yield { type: "finished", parts: [{ type: "text", text: said }], stop: "end", usage };
    },
  };
}

export function failure(kind: "window" | "server" | "key"): ModelEvent {
  return { type: "failed", failure: { kind, message: `It failed: ${kind}.`, status: null, retryAfterMs: null } };
}
