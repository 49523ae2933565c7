import type { Settlement } from "../../core/approval-inbox-port.ts";

export function settlementOf(state: Settlement["state"], who: string | null = null): Settlement {
  return { state, who, answer: null, scope: null, reason: null };
}
