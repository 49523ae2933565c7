import type { Settlement } from "../core/inbox.ts";

export function settlementOf(state: Settlement["state"], who: string | null = null): Settlement {
  return { state, who, answer: null, scope: null, reason: null };
}
