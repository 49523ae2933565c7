import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { RunPhase } from "../core/execution.ts";
import type { Answer, Ask, Question } from "../core/question.ts";
import { mergeStopReports, type StopReport } from "../core/stop-report.ts";
import type { Progress, Tool, ToolContext, ToolResult } from "../core/tool.ts";
import type { CallControl } from "./call-control.ts";
import { Stopwatch } from "./stopwatch.ts";
import type { TimeLimits } from "./time-limits.ts";

export interface RunOptions {
  readonly tool: Tool;
  readonly input: unknown;
  readonly control: CallControl;
  readonly limits: TimeLimits;
  readonly clock: Clock;
  readonly executionId: string;
  readonly conversationId: string | null;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly ask: Ask;
  readonly onProgress: (progress: Progress) => void;
}

export interface RunEnd {
  readonly runPhase: Exclude<RunPhase, "not_started">;
  /** Null when it threw, or did not return in time. */
  readonly result: ToolResult | null;
  readonly thrown: string | null;
  readonly report: StopReport | null;
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

/** One run, and the context its tool sees. */
class Run implements ToolContext {
  readonly workdir: string;
  readonly executionId: string;
  readonly conversationId?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #options: RunOptions;
  readonly #resolve: (end: RunEnd) => void;
  readonly #stopwatch: Stopwatch;
  #report: StopReport | null = null;
  #over = false;
  #cancelGrace: (() => void) | undefined;

  constructor(options: RunOptions, resolve: (end: RunEnd) => void) {
    this.workdir = options.workdir;
    this.executionId = options.executionId;
    if (options.conversationId !== null) this.conversationId = options.conversationId;
    this.env = options.env;
    this.#options = options;
    this.#resolve = resolve;
    // Tools take the context apart (`run(input, { ask })`), so its methods must not need `this` from the caller.
    this.progress = this.progress.bind(this);
    this.ask = this.ask.bind(this);
    this.stopped = this.stopped.bind(this);
    this.#stopwatch = new Stopwatch(options.clock, options.limits, (cause, afterMs) => {
      const seconds = `${Number((afterMs / 1000).toFixed(3))} s`;
      options.control.stop(cause, cause === "wall" ? `Timeout after ${seconds}` : `Timeout: no output for ${seconds}`);
    });
  }

  start(): void {
    const { tool, input, control } = this.#options;
    control.onStop(() => this.#waitForReturn());
    try {
      // A tool written in plain JavaScript may return without a promise.
      Promise.resolve(tool.run(input, this)).then(
        (result) => this.#finish("returned", result, null),
        (thrown: unknown) => this.#finish("threw", null, messageOf(thrown)),
      );
    } catch (thrown) {
      this.#finish("threw", null, messageOf(thrown));
    }
  }

  get signal(): AbortSignal {
    return this.#options.control.signal;
  }

  progress(update: Progress): void {
    if (this.#over) return;
    this.#stopwatch.alive();
    this.#options.onProgress(update);
  }

  async ask(question: Question): Promise<Answer> {
    if (this.#over) return { answered: false, reason: "cancelled" };
    this.#stopwatch.pause();
    try {
      return await this.#options.ask(question, { executionId: this.executionId, signal: this.signal });
    } finally {
      this.#stopwatch.resume();
    }
  }

  stopped(report: StopReport): void {
    this.#report = this.#report ? mergeStopReports(this.#report, report) : report;
  }

  #waitForReturn(): void {
    const { clock, tool } = this.#options;
    this.#stopwatch.stop();
    this.#cancelGrace = clock.after(tool.stopMs ?? defaultStopMs, () => {
      this.stopped({ proof: "none", killed: [], survivors: [] });
      this.#finish("started", null, null);
    });
  }

  #finish(runPhase: RunEnd["runPhase"], result: ToolResult | null, thrown: string | null): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopwatch.stop();
    this.#cancelGrace?.();
    // The tool was first: a stop that comes now is too late, and is told so.
    this.#options.control.end();
    this.#resolve({ runPhase, result, thrown, report: this.#report });
  }
}
