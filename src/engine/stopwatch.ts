import type { Clock } from "../core/clock.ts";
import type { TimeLimits } from "./time-limits.ts";

type OnLimit = (cause: "wall" | "idle", afterMs: number) => void;

/** Watches one run's wall and idle limit. Both stand still while the person is asked. */
export class Stopwatch {
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
