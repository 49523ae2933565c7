import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { RunPhase } from "../core/call.ts";
import type { Answer, Ask, Question } from "../core/question.ts";
import { weakestSandbox, type SandboxReport } from "../core/sandbox.ts";
import { mergeStopReports, type StopReport } from "../core/stop-report.ts";
import type { Progress, Recheck, Tool, ToolContext, ToolResult } from "../core/tool.ts";
import type { CallControl } from "./call-control.ts";
import { Stopwatch } from "./stopwatch.ts";
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
