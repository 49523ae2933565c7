import { isSafeMode, safeModeSentence } from "../tool-files/safe-mode.ts";
import { warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

/** A row only when it is on. */
export function checkSafeMode({ env }: Subject): readonly Check[] {
  if (!isSafeMode({}, env)) return [];
  const fix = "Find out in the log of the watchdog what crashed, then start without DECKHAND_SAFE_MODE.";
  return [warning("safe mode", safeModeSentence, fix)];
}
