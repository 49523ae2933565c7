import { getHeapStatistics } from "node:v8";
import type { Clock } from "../core/clock.ts";

const lookEveryMs = 2000;
/** So much may have come since the last collection. */
const mostGrowth = 12 * 1024 * 1024;

type Collect = (options: { readonly type: "major"; readonly execution: "async" }) => Promise<void>;

/**
 * Collects what requests have left before it has become much. V8 by itself would let a process that has memory to spare grow for
 * minutes before it looks at what is old, and keep what it took. Costs nothing where nothing is asked, and does nothing where
 * the program was not started with `--expose-gc`, as the launcher does for a daemon. Returns what ends it.
 */
export function keepHeapSteady(clock: Clock): () => void {
  const collect = (globalThis as { readonly gc?: Collect }).gc;
  if (!collect) return () => undefined;
  let base = usedBytes();
  let isOver = false;
  let cancel = clock.after(lookEveryMs, look);

  function look(): void {
    void collectWhenGrown().finally(() => {
      if (!isOver) cancel = clock.after(lookEveryMs, look);
    });
  }

  async function collectWhenGrown(): Promise<void> {
    const used = usedBytes();
    base = Math.min(base, used);
    if (used - base < mostGrowth) return;
    await collect!({ type: "major", execution: "async" });
    base = usedBytes();
  }

  return () => {
    isOver = true;
    cancel();
  };
}

function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}
