import type { CallOptions } from "../core/call.ts";
import type { Tool } from "../core/tool.ts";

/** What configuration says about limits; complete, as parsed at the edge. */
export interface EngineLimits {
  /** For tools that name no limit of their own. */
  readonly defaultTimeoutMs: number;
  /** Nothing may ask for more, and no default may exceed it. */
  readonly maxTimeoutMs: number;
  /** By canonical name; these win over what the tool itself says. */
  readonly timeoutMs: Readonly<Record<string, number>>;
  readonly idleMs: Readonly<Record<string, number>>;
  readonly maxParallel: number;
  /** The same call is not run again after failing this often in a row; 0 = no guard. */
  readonly maxRetry: number;
}

export const defaultLimits: EngineLimits = {
  defaultTimeoutMs: 120_000,
  maxTimeoutMs: 600_000,
  timeoutMs: {},
  idleMs: {},
  maxParallel: 4,
  maxRetry: 3,
};

export interface TimeLimits {
  readonly timeoutMs: number;
  readonly idleMs: number | null;
}

/** This call > configuration > the tool > the runtime; the cap caps them all. */
export function resolveTimeLimits(
  { tool, input, call }: { readonly tool: Tool; readonly input: unknown; readonly call: CallOptions },
  limits: EngineLimits,
): TimeLimits {
  const asked = tool.limits?.(input);
  const usual = defaultTimeLimits(tool, limits);
  const timeoutMs = positive(call.timeoutMs) ?? positive(asked?.timeoutMs) ?? usual.timeoutMs;
  const idleMs = positive(call.idleMs) ?? positive(asked?.idleMs) ?? usual.idleMs;
  return { timeoutMs: Math.min(timeoutMs, limits.maxTimeoutMs), idleMs };
}

/** The limits of a call that asks for none of its own. */
export function defaultTimeLimits(tool: Pick<Tool, "name" | "timeoutMs" | "idleMs">, limits: EngineLimits): TimeLimits {
  const timeoutMs = positive(limits.timeoutMs[tool.name]) ?? positive(tool.timeoutMs) ?? limits.defaultTimeoutMs;
  const idleMs = positive(limits.idleMs[tool.name]) ?? positive(tool.idleMs) ?? null;
  return { timeoutMs: Math.min(timeoutMs, limits.maxTimeoutMs), idleMs };
}

/** `DECKHAND_MAX_PARALLEL_TOOLS`: at most 12; anything that is not a positive whole number means the default. */
export function parseMaxParallel(raw: string | undefined): number {
  if (raw === undefined || !/^\s*\+?\d+\s*$/.test(raw)) return defaultLimits.maxParallel;
  const parsed = Number(raw);
  return parsed > 0 ? Math.min(parsed, 12) : defaultLimits.maxParallel;
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}
