import type { Answer, Ask, Question } from "../core/approval.ts";
import { type RunPhase, type SandboxReport, weakestSandbox } from "../core/call.ts";
import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import { mergeStopReports, type StopReport } from "../core/process.ts";
import type { Progress, Recheck, Tool, ToolContext, ToolResult } from "../core/tool.ts";
import type { CallControl } from "./call-control.ts";
import type { EngineParts } from "./engine-deps.ts";
import type { TimeLimits } from "./time-limits.ts";

export interface RunOptions {
  readonly tool: Tool;
  readonly input: unknown;
  readonly control: CallControl;
  readonly limits: TimeLimits;
  readonly clock: Clock;
  readonly executionId: string;
  readonly conversationId: string | null;
  readonly idempotencyKey: string | undefined;
  readonly recheck: Recheck | undefined;
  readonly keepBefore: ToolContext["keepBefore"] | undefined;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly ask: Ask;
  readonly enter: EngineParts["enter"];
  readonly onProgress: (progress: Progress) => void;
}

export interface RunEnd {
  /** `not_started`: the tool said that it passed nothing on. */
  readonly runPhase: RunPhase;
  /** Null when it threw, or did not return in time. */
  readonly result: ToolResult | null;
  readonly thrown: string | null;
  readonly report: StopReport | null;
  readonly sandbox: SandboxReport | null;
  /** The version that did the work, when it was another one than the chosen. */
  readonly version: string | null;
}

/**
 * Step 6: runs the tool under its limits. Never rejects.
 *
 * Resolves when `run` returned or threw. After a stop it resolves at the latest `stopMs` later, because a tool that
 * ignores its signal must not hold the call for ever; then the phase stays `started` and the proof is `none`.
 */
export function runTool(options: RunOptions): Promise<RunEnd> {
  return new Promise((resolve) => new Run(options, resolve).start());
}

/** How long a tool that names no time of its own gets to return after its signal fired. */
const defaultStopMs = 1000;

/** One run. Plain fields: there is one for every call, and `#private` ones cost more than all the rest of it. */
class Run {
  private readonly options: RunOptions;
  private readonly resolve: (end: RunEnd) => void;
  private readonly stopwatch: Stopwatch;
  private report: StopReport | null = null;
  private sandbox: SandboxReport | null = null;
  private version: string | null = null;
  private isEntered = true;
  private over = false;
  private cancelGrace: (() => void) | undefined = undefined;

  constructor(options: RunOptions, resolve: (end: RunEnd) => void) {
    this.options = options;
    this.resolve = resolve;
    this.stopwatch = new Stopwatch(options.clock, options.limits, (cause, afterMs) => {
      const seconds = `${Number((afterMs / 1000).toFixed(3))} s`;
      options.control.stop(cause, cause === "wall" ? `Timeout after ${seconds}` : `Timeout: no output for ${seconds}`);
    });
  }

  start(): void {
    const { tool, input, control, enter, executionId } = this.options;
    control.onStop(() => this.waitForReturn());
    try {
      // A tool written in plain JavaScript may return without a promise.
      Promise.resolve(enter(executionId, () => tool.run(input, this.makeContext()))).then(
        (result) => this.finish(this.isEntered ? "returned" : "not_started", result, null),
        (thrown: unknown) => this.finish("threw", null, messageOf(thrown)),
      );
    } catch (thrown) {
      this.finish("threw", null, messageOf(thrown));
    }
  }

  /** An object that tools may take apart (`run(input, { ask })`) or copy (`{ ...context, workdir }`). */
  private makeContext(): ToolContext {
    const { control, workdir, executionId, conversationId, idempotencyKey, env, recheck, keepBefore } = this.options;
    const context = {
      signal: control.signal,
      workdir,
      executionId,
      env,
      progress: (update: Progress) => this.progress(update),
      ask: (question: Question) => this.ask(question),
      stopped: (report: StopReport) => this.stopped(report),
      sandboxed: (report: SandboxReport) => this.sandboxed(report),
      ranAs: (version: string) => void (this.version = version),
      notEntered: () => void (this.isEntered = false),
    };
    const isPlain = conversationId === null && idempotencyKey === undefined;
    if (isPlain && recheck === undefined && keepBefore === undefined) return context;
    return {
      ...context,
      ...(conversationId === null ? {} : { conversationId }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(recheck === undefined ? {} : { recheck }),
      ...(keepBefore === undefined ? {} : { keepBefore }),
    };
  }

  private progress(update: Progress): void {
    if (this.over) return;
    this.stopwatch.alive();
    // A tool in plain JavaScript may call it without anything, just to show that it lives.
    this.options.onProgress(update ?? {});
  }

  private async ask(question: Question): Promise<Answer> {
    if (this.over) return { answered: false, reason: "cancelled" };
    const { ask, executionId, control } = this.options;
    this.stopwatch.pause();
    try {
      return await ask(question, { executionId, signal: control.signal });
    } finally {
      this.stopwatch.resume();
    }
  }

  private stopped(report: StopReport): void {
    this.report = this.report ? mergeStopReports(this.report, report) : report;
  }

  private sandboxed(report: SandboxReport): void {
    this.sandbox = this.sandbox ? weakestSandbox(this.sandbox, report) : report;
  }

  private waitForReturn(): void {
    const { clock, tool } = this.options;
    this.stopwatch.stop();
    this.cancelGrace = clock.after(tool.stopMs ?? defaultStopMs, () => {
      this.stopped({ proof: "none", killed: [], survivors: [] });
      this.finish("started", null, null);
    });
  }

  private finish(runPhase: RunEnd["runPhase"], result: ToolResult | null, thrown: string | null): void {
    if (this.over) return;
    this.over = true;
    this.stopwatch.stop();
    this.cancelGrace?.();
    // The tool was first: a stop that comes now is too late, and is told so.
    this.options.control.end();
    this.resolve({ runPhase, result, thrown, report: this.report, sandbox: this.sandbox, version: this.version });
  }
}

type OnLimit = (cause: "wall" | "idle", afterMs: number) => void;

/** Watches one run's wall and idle limit. Both stand still while the person is asked. */
class Stopwatch {
  private readonly clock: Clock;
  private readonly limits: TimeLimits;
  private readonly onLimit: OnLimit;
  private wallLeftMs: number;
  private since: number;
  private lastSign: number;
  private pauses = 0;
  private over = false;
  private cancelWall: (() => void) | undefined;
  private cancelIdle: (() => void) | undefined;

  constructor(clock: Clock, limits: TimeLimits, onLimit: OnLimit) {
    this.clock = clock;
    this.limits = limits;
    this.onLimit = onLimit;
    this.wallLeftMs = limits.timeoutMs;
    this.since = this.lastSign = clock.monotonic();
    this.arm();
  }

  /** Something happened: the idle time starts again. A note of the time is enough; the timer looks when it fires. */
  alive(): void {
    this.lastSign = this.clock.monotonic();
  }

  pause(): void {
    this.pauses += 1;
    if (this.pauses > 1 || this.over) return;
    this.disarm();
    this.wallLeftMs -= this.clock.monotonic() - this.since;
  }

  /** The idle time starts again as well: an answer is a sign of life. */
  resume(): void {
    this.pauses -= 1;
    if (this.pauses > 0 || this.over) return;
    this.since = this.lastSign = this.clock.monotonic();
    this.arm();
  }

  stop(): void {
    if (this.over) return;
    this.over = true;
    this.disarm();
  }

  private arm(): void {
    this.cancelWall = this.clock.after(this.wallLeftMs, () => this.end("wall", this.limits.timeoutMs));
    if (this.limits.idleMs !== null) this.armIdle(this.limits.idleMs, this.limits.idleMs);
  }

  private armIdle(afterMs: number, idleMs: number): void {
    this.cancelIdle = this.clock.after(afterMs, () => {
      const leftMs = idleMs - (this.clock.monotonic() - this.lastSign);
      // Timers round to whole milliseconds and may fire a fraction early.
      if (leftMs < 1) this.end("idle", idleMs);
      else this.armIdle(leftMs, idleMs);
    });
  }

  private end(cause: "wall" | "idle", afterMs: number): void {
    if (this.over) return;
    this.stop();
    this.onLimit(cause, afterMs);
  }

  private disarm(): void {
    this.cancelWall?.();
    this.cancelIdle?.();
  }
}
