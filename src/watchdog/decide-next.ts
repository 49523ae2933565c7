import { type EndCause, endOf } from "./describe-event.ts";
import type { WatchdogSettings } from "./watchdog-settings.ts";

/** How one run of the child ended. */
export interface ChildEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly cause: EndCause;
  readonly uptimeMs: number;
  /** Its last heartbeat was fresh, or it was not expected to have any. */
  readonly wasHealthy: boolean;
  readonly wasStable: boolean;
}

/** What earlier ends have left. */
export interface History {
  /** When unhealthy ends were, on the monotonic clock, oldest first. */
  readonly unhealthyAt: readonly number[];
  /** Unhealthy ends in a row, which make the delay longer. */
  readonly streak: number;
  readonly safeMode: boolean;
}

export const noHistory: History = { unhealthyAt: [], streak: 0, safeMode: false };

export type Decision =
  | { readonly next: "stop"; readonly reason: string; readonly counted: boolean; readonly failed: boolean }
  | {
      readonly next: "restart";
      readonly delayMs: number;
      readonly reason: string;
      readonly counted: boolean;
      readonly history: History;
    };

type DecisionSettings = Pick<
  WatchdogSettings,
  "backoffMs" | "maxBackoffMs" | "minUptimeMs" | "maxRestarts" | "mostUnhealthy" | "unhealthyWindowMs"
>;

/**
 * - exit 0, or it was told to stop: over
 * - exit 78 (bad configuration): over, a person has to change something
 * - exit 69 (what it needs is in use): again after a delay that doubles, and blamed on nothing that it runs
 * - exit 75: again at once, out of safe mode, not counted
 * - an end after the least uptime, healthy until then: again at once, not counted
 * - the first of them that was killed by SIGKILL while it was healthy, however young: again at once
 * - any other: again after a delay that doubles; too many of them: once in safe mode; when that one is unhealthy as well,
 *   what is wrong is no tool of the person's: given up where restarts have a limit, else on without safe mode, at the
 *   longest delay, because a port that is taken or a disk that is full may pass
 */
export function decideNext(
  end: ChildEnd,
  history: History,
  { settings, now, random }: { readonly settings: DecisionSettings; readonly now: number; readonly random: number },
): Decision {
  const stop = (reason: string, about: { readonly counted: boolean; readonly failed: boolean }): Decision => ({
    next: "stop",
    reason,
    ...about,
  });
  if (end.cause === "stopped") return stop("it was told to", orderly);
  if (end.cause === "exit" && end.exitCode === 0) return stop("the command ended by itself, as it should", orderly);
  if (end.cause === "exit" && end.exitCode === 78) {
    const reason = "the command says that its configuration is wrong (exit code 78)";
    return stop(reason, { counted: false, failed: true });
  }
  const past: History = end.wasStable ? { ...noHistory, safeMode: history.safeMode } : history;
  // A command that always ends at once must not keep a processor busy.
  const gapMs = Math.max(0, Math.min(1000, settings.backoffMs) - end.uptimeMs);
  if (end.cause === "exit" && end.exitCode === 75) {
    const reason = "the command asked for it (exit code 75)";
    return { next: "restart", delayMs: gapMs, reason, counted: false, history: { ...past, safeMode: false } };
  }
  if (end.cause === "exit" && end.wasHealthy && end.uptimeMs >= settings.minUptimeMs) {
    const reason = `it was healthy until it ended with ${endOf(end)}`;
    return { next: "restart", delayMs: gapMs, reason, counted: false, history: past };
  }

  const streak = past.streak + 1;
  const hasLimit = settings.maxRestarts > 0;
  if (end.cause === "exit" && end.exitCode === 69) {
    const reason = "the command says that what it needs is in use (exit code 69)";
    if (hasLimit && streak > settings.maxRestarts) return stop(reason, { counted: false, failed: true });
    const delayMs = delayOf(streak, settings, random);
    return { next: "restart", delayMs, reason, counted: false, history: { ...past, streak } };
  }
  const why = end.cause === "hang" ? "it hung" : `it ended with ${endOf(end)}`;
  const unhealthyAt = [...past.unhealthyAt.filter((at) => now - at < settings.unhealthyWindowMs), now];
  if (history.safeMode && !end.wasStable) {
    const reason = `in safe mode, too, ${why}`;
    if (hasLimit) return stop(reason, gaveUp);
    const delayMs = spread(settings.maxBackoffMs, random);
    return { next: "restart", delayMs, reason, counted: true, history: { unhealthyAt: [], streak, safeMode: false } };
  }
  if (hasLimit && streak > settings.maxRestarts) {
    return stop(
      `${why}, after ${settings.maxRestarts} ${settings.maxRestarts === 1 ? "restart" : "restarts"} without a stable run`,
      gaveUp,
    );
  }
  // Killed from outside, and not one of several in a row: nothing says that the next one would fare the same.
  const isKilled = end.cause === "exit" && end.wasHealthy && end.signal === "SIGKILL" && streak === 1;
  const safeMode = past.safeMode || unhealthyAt.length >= settings.mostUnhealthy;
  const last = hasLimit ? ", so this is the last try" : "";
  const reason = safeMode && !past.safeMode ? `${why}; ${unhealthyAt.length} unhealthy ends${last}` : why;
  const delayMs = isKilled ? gapMs : delayOf(streak, settings, random);
  return { next: "restart", delayMs, reason, counted: true, history: { unhealthyAt, streak, safeMode } };
}

const orderly = { counted: false, failed: false };
const gaveUp = { counted: true, failed: true };

/** 1, 2, 4 … 60 s */
function delayOf(streak: number, { backoffMs, maxBackoffMs }: DecisionSettings, random: number): number {
  return spread(Math.min(maxBackoffMs, backoffMs * 2 ** Math.min(streak - 1, 30)), random);
}

/** Up to a fifth longer or shorter: what broke many at once shall not be asked by all at once. */
function spread(delayMs: number, random: number): number {
  return Math.round(delayMs * (0.8 + 0.4 * random));
}
