import { statSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";

const lookEveryMs = 2000;

/**
 * Calls back when one of these files was written to. Other processes change the store as well (`deckhand schedule add` beside a daemon),
 * and neither an event nor the journal tells of all they do. Returns what ends it.
 */
export function watchFiles(paths: readonly string[], clock: Clock, onChange: () => void): () => void {
  const look = (): string => paths.map(markOf).join();
  let seen = look();
  let cancel = clock.after(lookEveryMs, again);

  function again(): void {
    cancel = clock.after(lookEveryMs, again);
    const now = look();
    if (now === seen) return;
    seen = now;
    onChange();
  }

  return () => cancel();
}

function markOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size}` : "";
}
