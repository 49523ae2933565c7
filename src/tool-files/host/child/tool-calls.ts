import { AsyncLocalStorage } from "node:async_hooks";
import type { Answer, Question } from "../../../core/approval.ts";
import type { Progress } from "../../../core/tool.ts";
import type { CallFacts } from "../host-protocol.ts";
import type { LoadedTool } from "./load-tool.ts";
import type { RawSpec } from "./read-raw-spec.ts";
import { send, thrownResult, toResult } from "./to-result.ts";

interface Instance {
  run(input: unknown, context: unknown): unknown;
  close?(): unknown;
}

export interface ToolCalls {
  start(id: number, input: unknown, facts: CallFacts): Promise<void>;
  cancel(id: number): void;
  answer(id: number, ask: number, answer: Answer): void;
  /** The call whose work this is. */
  current(): number | null;
  /** Its outcome was told by other means. */
  forget(id: number): void;
  close(): Promise<void>;
}

/** The tool's `create()` runs once, before the first call; its `close()` at most once, and only after it. */
export function createToolCalls(tool: LoadedTool, spec: RawSpec): ToolCalls {
  const active = new Map<number, ActiveCall>();
  const storage = new AsyncLocalStorage<number>();
  const ending = new AbortController();
  let made: Promise<Instance> | undefined;

  return {
    async start(id, input, facts) {
      const { problems, value: taken } = spec.take(input);
      if (problems.length > 0) return send({ kind: "invalid", id, problems });
      const call = new ActiveCall(id, facts);
      active.set(id, call);
      let instance: Instance;
      try {
        instance = tool.run && !tool.create ? (tool as Instance) : await storage.run(id, () => (made ??= make(call)));
      } catch (thrown) {
        call.end();
        const { error, ...rest } = thrownResult(thrown) as { ok: false; error: string };
        return finish(id, () =>
          send({ kind: "ended", id, result: { ...rest, error: `create() failed: ${error}` }, isUnusable: true }),
        );
      }
      if (call.signal.aborted) return finish(id, () => send({ kind: "ended", id, result: cancelledResult }));
      send({ kind: "entered", id });
      try {
        const value = await storage.run(id, () => instance.run(taken, call.context));
        finish(id, () => send({ kind: "ended", id, result: toResult(value) }));
      } catch (thrown) {
        console.error(thrown);
        finish(id, () => send({ kind: "ended", id, result: thrownResult(thrown) }));
      }
    },
    cancel: (id) => active.get(id)?.abort(),
    answer: (id, ask, answer) => active.get(id)?.answered(ask, answer),
    current: () => storage.getStore() ?? null,
    forget: (id) => void active.delete(id),
    async close() {
      ending.abort();
      const instance = await made?.catch(() => undefined);
      await instance?.close?.();
    },
  };

  async function make({ context }: ActiveCall): Promise<Instance> {
    const { workdir, env } = context;
    const lasting = {
      workdir,
      env,
      signal: ending.signal,
      progress: () => undefined,
      ask: () => Promise.resolve(nobody),
    };
    const instance = (await tool.create!(lasting)) as Instance | undefined;
    if (typeof instance?.run !== "function")
      throw new Error("it returned nothing that has a function run(input, context)");
    return instance;
  }

  function finish(id: number, tell: () => void): void {
    const call = active.get(id);
    if (!active.delete(id)) return;
    call?.end();
    tell();
  }
}

const nobody: Answer = { answered: false, reason: "nobody" };
const cancelledResult = { ok: false, error: "It was stopped before it began.", errorType: "cancelled" } as const;

/** Progress more often than this is left out, all but the last. */
const progressEveryMs = 20;

class ActiveCall {
  readonly context: Readonly<Record<string, unknown>> & { readonly workdir: string };
  private readonly id: number;
  private controller: AbortController | undefined;
  private isAborted = false;
  private readonly asks = new Map<number, (answer: Answer) => void>();
  private lastProgressAt = 0;
  private waiting: Progress | undefined;
  private asked = 0;

  constructor(id: number, facts: CallFacts) {
    this.id = id;
    const { executionId, conversationId, idempotencyKey, workdir, env } = facts;
    const signal = (): AbortSignal => this.signal;
    this.context = {
      workdir,
      env,
      executionId,
      execution_id: executionId,
      ...(conversationId === null ? {} : { conversationId, conversation_id: conversationId }),
      ...(idempotencyKey === null ? {} : { idempotencyKey, idempotency_key: idempotencyKey }),
      // Most tools never look at it, and making one costs more than all the rest.
      get signal() {
        return signal();
      },
      progress: (update: unknown) => this.progress(update),
      ask: (question: unknown) => this.ask(question),
    };
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.isAborted) this.controller.abort(stopped());
    }
    return this.controller.signal;
  }

  abort(): void {
    this.isAborted = true;
    this.controller?.abort(stopped());
    for (const resolve of this.asks.values()) resolve({ answered: false, reason: "cancelled" });
    this.asks.clear();
  }

  answered(ask: number, answer: Answer): void {
    this.asks.get(ask)?.(answer);
    this.asks.delete(ask);
  }

  end(): void {
    if (this.waiting) send({ kind: "progress", id: this.id, update: this.waiting });
    this.waiting = undefined;
  }

  private progress(given: unknown): void {
    const now = performance.now();
    const update: Progress = typeof given === "string" ? { message: given } : readProgress(given);
    if (now - this.lastProgressAt < progressEveryMs) {
      this.waiting = update;
      return;
    }
    this.lastProgressAt = now;
    this.waiting = undefined;
    send({ kind: "progress", id: this.id, update });
  }

  private ask(question: unknown): Promise<Answer> {
    if (this.isAborted) return Promise.resolve({ answered: false, reason: "cancelled" });
    const ask = ++this.asked;
    const asked: Question = typeof question === "string" ? { text: question } : (question as Question);
    return new Promise((resolve) => {
      this.asks.set(ask, resolve);
      send({ kind: "ask", id: this.id, ask, question: asked });
    });
  }
}

function stopped(): Error {
  return new DOMException("The call was stopped.", "AbortError");
}

/** Only what progress is made of: a tool may pass whatever it has. */
function readProgress(given: unknown): Progress {
  const { message, output, stream, done, total } = Object(given) as Progress;
  return {
    ...(message === undefined ? {} : { message: String(message).slice(0, 10_000) }),
    ...(output === undefined ? {} : { output: String(output).slice(0, 100_000) }),
    ...(stream === "stdout" || stream === "stderr" ? { stream } : {}),
    ...(typeof done === "number" ? { done } : {}),
    ...(typeof total === "number" ? { total } : {}),
  };
}
