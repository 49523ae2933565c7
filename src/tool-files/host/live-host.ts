import { StringDecoder } from "node:string_decoder";
import { clipText } from "../../core/text.ts";
import type { InputProblem, ToolResult } from "../../core/tool.ts";
import {
  bystander,
  type EndReason,
  explainEnd,
  type HostEnd,
  type HostParts,
  type HostProcess,
  type HostRefusal,
  type Loaded,
  openHost,
} from "./host-process.ts";
import type { FromHost } from "./host-protocol.ts";
import type { HostCall, HostOutcome, ToolFile } from "./tool-host.ts";

/** A host with its calls. */
export interface LiveHost {
  readonly file: ToolFile;
  readonly process: HostProcess;
  readonly startedAt: number;
  readonly loaded: Promise<Loaded>;
  readonly ended: Promise<HostEnd>;
  readonly lastUsedAt: number;
  readonly isRetired: boolean;
  readonly isLoaded: boolean;
  readonly callCount: number;
  /** Null: `run` was not entered and the process is gone, so it can be done elsewhere. */
  call(input: unknown, call: HostCall): Promise<HostOutcome | null>;
  check(input: unknown): Promise<readonly InputProblem[] | null>;
  /** No new calls; ends when those under way have. */
  retire(): Promise<void>;
  /** Ends at once; calls that are under way end with it. */
  shutDown(): Promise<void>;
}

export type LiveStart = { readonly ok: true; readonly host: LiveHost } | HostRefusal;

interface PendingCall {
  readonly call: HostCall;
  readonly resolve: (outcome: HostOutcome | null) => void;
  readonly release: () => void;
  entered: boolean;
}

/** Prints are shown as progress at most this often. */
const showEveryMs = 50;

/** `onIdle`: a host has no calls any more, or takes no more. */
export async function startLiveHost(parts: HostParts, file: ToolFile, onIdle: () => void): Promise<LiveStart> {
  const made: { live?: Live } = {};
  const start = await openHost(parts, file, {
    onMessage: (message) => made.live!.take(message),
    onPrinted: (piece) => made.live?.printed(piece),
  });
  if (!start.ok) return start;
  made.live = new Live(parts, { file, process: start.host, onIdle });
  return { ok: true, host: made.live };
}

class Live implements LiveHost {
  readonly file: ToolFile;
  readonly process: HostProcess;
  readonly startedAt: number;
  readonly loaded: Promise<Loaded>;
  readonly ended: Promise<HostEnd>;
  lastUsedAt: number;
  isRetired = false;
  isLoaded = false;
  private readonly parts: HostParts;
  private readonly onIdle: () => void;
  private readonly calls = new Map<number, PendingCall>();
  private readonly checks = new Map<number, (problems: readonly InputProblem[] | null) => void>();
  private readonly decoder = new StringDecoder("utf8");
  private lastId = 0;
  /** The call that we ended the process for. */
  private culprit: number | null = null;
  private printedBytes = 0;
  private shownAt = Number.NEGATIVE_INFINITY;
  private closing: Promise<unknown> | undefined;
  private cancelIdle: (() => void) | undefined;

  constructor(parts: HostParts, host: { file: ToolFile; process: HostProcess; onIdle: () => void }) {
    this.parts = parts;
    this.file = host.file;
    this.process = host.process;
    this.onIdle = host.onIdle;
    this.startedAt = parts.clock.now();
    this.lastUsedAt = parts.clock.monotonic();
    this.loaded = host.process.loaded;
    void this.loaded.then(({ ok }) => {
      this.isLoaded = ok;
      this.lastUsedAt = parts.clock.monotonic();
    });
    this.ended = host.process.ended.then((end) => this.settleAll(end));
    this.watchIdle();
  }

  get callCount(): number {
    return this.calls.size + this.checks.size;
  }

  call(input: unknown, call: HostCall): Promise<HostOutcome | null> {
    const id = this.use();
    const { clock, limits } = this.parts;
    call.sandboxed(this.process.sandbox);
    return new Promise((resolve) => {
      let cancelTimer: (() => void) | undefined;
      const onAbort = (): void => {
        this.process.send({ kind: "cancel", id });
        cancelTimer = clock.after(limits.cancelMs, () => this.stopFor(id));
      };
      const release = (): void => {
        call.signal.removeEventListener("abort", onAbort);
        cancelTimer?.();
      };
      this.calls.set(id, { call, resolve, release, entered: false });
      const { workdir, executionId, conversationId, idempotencyKey, env } = call;
      const context = { workdir, executionId, conversationId, idempotencyKey, env };
      this.process.send({ kind: "call", id, input, context });
      call.signal.addEventListener("abort", onAbort, { once: true });
      if (call.signal.aborted) onAbort();
    });
  }

  check(input: unknown): Promise<readonly InputProblem[] | null> {
    const id = this.use();
    const { clock, limits } = this.parts;
    return new Promise((resolve) => {
      const cancelTimer = clock.after(limits.checkMs, () => {
        this.isRetired = true;
        void this.process.stop("check");
      });
      this.checks.set(id, (problems) => {
        cancelTimer();
        resolve(problems);
      });
      this.process.send({ kind: "check", id, input });
    });
  }

  async retire(): Promise<void> {
    this.isRetired = true;
    this.closeWhenIdle();
    await this.ended;
  }

  async shutDown(): Promise<void> {
    this.isRetired = true;
    await (this.closing ??= this.process.close());
    await this.ended;
  }

  take(message: Parameters<Parameters<typeof openHost>[2]["onMessage"]>[0]): void {
    if (message.kind === "checked") {
      this.checks.get(message.id)?.(message.problems);
      this.checks.delete(message.id);
      return this.settled();
    }
    if (message.kind === "uncaught") return this.takeUncaught(message);
    const pending = this.calls.get(message.id);
    if (!pending) return;
    switch (message.kind) {
      case "entered":
        pending.entered = true;
        return;
      case "progress":
        return pending.call.progress(message.update);
      case "ask":
        return void this.ask(message, pending);
      case "invalid":
        return this.settle(message.id, invalidOutcome(message.problems));
      case "ended":
        if (message.isUnusable) this.isRetired = true;
        if (pending.call.signal.aborted) return void this.settleStopped(message.id, message.result);
        return this.settle(message.id, { result: message.result, entered: pending.entered });
    }
  }

  printed(piece: Buffer): void {
    this.printedBytes += piece.length;
    if (this.printedBytes > this.parts.limits.printedBytes && this.calls.size > 0) {
      this.isRetired = true;
      void this.process.stop("output");
      return;
    }
    const output = this.decoder.write(piece);
    const now = this.parts.clock.monotonic();
    const [only] = this.calls.values();
    if (this.calls.size !== 1 || !only?.entered || now - this.shownAt < showEveryMs) return;
    this.shownAt = now;
    only.call.progress({ output, stream: "stderr" });
  }

  private use(): number {
    this.lastUsedAt = this.parts.clock.monotonic();
    return ++this.lastId;
  }

  private async ask(message: Extract<FromHost, { kind: "ask" }>, { call }: PendingCall): Promise<void> {
    const { id, ask } = message;
    const answer = await call.ask(message.question).catch(() => ({ answered: false, reason: "nobody" }) as const);
    this.process.send({ kind: "answer", id, ask, answer });
  }

  /** What is left of the tool's state nobody knows: the next call gets a new process, those under way may end. */
  private takeUncaught({ id, message, errorType = "threw" }: Extract<FromHost, { kind: "uncaught" }>): void {
    this.isRetired = true;
    const entered = [...this.calls].filter(([, each]) => each.entered);
    const blamed = id ?? (entered.length === 1 ? entered[0]![0] : null);
    if (blamed !== null && this.calls.has(blamed)) {
      const result = { ok: false, error: `An error that nobody caught: ${message}`, errorType } as const;
      this.settle(blamed, { result, entered: this.calls.get(blamed)!.entered });
    } else this.settled();
  }

  private stopFor(id: number): void {
    this.isRetired = true;
    this.culprit ??= id;
    void this.process.stop("cancel");
  }

  /** It returned by itself after it was asked to. Alone in its process, that ends too: nothing that it started lives on. */
  private async settleStopped(id: number, result: ToolResult): Promise<void> {
    const { call, entered, release, resolve } = this.calls.get(id)!;
    release();
    // The end of the process must not settle it a second way.
    this.calls.delete(id);
    if (this.callCount > 0) call.stopped({ proof: "cooperative", killed: [], survivors: [] });
    else {
      this.isRetired = true;
      const report = this.process.close();
      this.closing ??= report;
      call.stopped(await report);
    }
    resolve({ result, entered });
    this.settled();
  }

  private settle(id: number, outcome: HostOutcome | null): void {
    const pending = this.calls.get(id);
    if (!pending) return;
    this.calls.delete(id);
    pending.release();
    pending.resolve(outcome);
    this.settled();
  }

  private settled(): void {
    if (this.callCount > 0) return;
    this.printedBytes = 0;
    this.closeWhenIdle();
    this.onIdle();
  }

  private closeWhenIdle(): void {
    if (this.isRetired && this.callCount === 0) this.closing ??= this.process.close();
  }

  /** One timer for the life of the host: a call only notes the time. */
  private watchIdle(): void {
    const { clock, limits } = this.parts;
    const restMs = this.lastUsedAt + limits.idleMs - clock.monotonic();
    if (restMs <= 0 && this.isLoaded && this.callCount === 0) return void this.retire();
    this.cancelIdle = clock.after(Math.max(restMs, 1000), () => this.watchIdle());
  }

  /** The process is gone: every call that was in it ends here. */
  private async settleAll(end: HostEnd): Promise<HostEnd> {
    this.isRetired = true;
    this.cancelIdle?.();
    const reason = explainEnd(end, this.parts.limits.memoryMb);
    const culprit = this.culprit ?? end.exiting?.id ?? null;
    const report = end.stoppedFor === null || end.stoppedFor === "close" ? null : await this.process.stop("cancel");
    for (const [id, { call, entered }] of this.calls) {
      if (report && (id === culprit || call.signal.aborted)) call.stopped(report);
      if (!entered && !call.signal.aborted) this.settle(id, null);
      else this.settle(id, { result: failure(culprit === null || id === culprit ? reason : bystander, end), entered });
    }
    for (const resolve of this.checks.values()) resolve([{ path: "", kind: "wrong", message: checkEnded(end) }]);
    this.checks.clear();
    this.onIdle();
    return end;
  }
}

function failure({ error, errorType, hint }: EndReason, { stderr, stoppedFor }: HostEnd): ToolResult {
  const said = stoppedFor === "cancel" ? "" : clipText(stderr.trimEnd().slice(-2000), 2000);
  return {
    ok: false,
    error,
    errorType,
    ...(hint === undefined ? {} : { hint }),
    ...(said === "" ? {} : { output: said }),
  };
}

function invalidOutcome(problems: readonly InputProblem[]): HostOutcome {
  const error = `The input does not fit: ${problems
    .slice(0, 10)
    .map(({ message }) => message)
    .join("; ")}.`;
  return { result: { ok: false, error, errorType: "invalid_input" }, entered: false, problems };
}

function checkEnded({ stoppedFor }: HostEnd): string {
  return stoppedFor === "check"
    ? "the input: checking it took too long; a pattern of the schema may need for ever"
    : "the input: the process that checks it ended";
}
