import { isSafeMode, safeModeSentence } from "../safe-mode.ts";
import { warning, type Check } from "./check.ts";
import type { Subject } from "./subject.ts";

/** A row only when it is on. */
export function checkSafeMode({ env }: Subject): readonly Check[] {
  if (!isSafeMode({}, env)) return [];
  const fix = "Find out in the log of the watchdog what crashed, then start without DECKHAND_SAFE_MODE.";
  return [warning("safe mode", safeModeSentence, fix)];
}
