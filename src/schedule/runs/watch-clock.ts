import type { Clock } from "../../core/clock.ts";

/** The wall clock may drift a little against the time that passes; more than this is a jump. */
export const jumpMs = 30_000;

/** By how much the wall clock went ahead of, or behind, the time that passed since the last look; 0 when that is little. */
export function watchClock(clock: Clock): () => number {
  let wall = clock.now();
  let passed = clock.monotonic();
  return () => {
    const [nowWall, nowPassed] = [clock.now(), clock.monotonic()];
    const byMs = nowWall - wall - (nowPassed - passed);
    [wall, passed] = [nowWall, nowPassed];
    return Math.abs(byMs) > jumpMs ? byMs : 0;
  };
}
