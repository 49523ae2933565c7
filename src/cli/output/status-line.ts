import { displayWidth, fitWidth, neutralizeLine } from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatDuration } from "../../core/time.ts";
import { formatCost, formatTokens, percentOf } from "./format-figures.ts";

/** Null: not known, or nothing yet. */
export interface RunStatus {
  readonly model: string | null;
  readonly contextTokens: number | null;
  readonly maxContextTokens: number | null;
  readonly cost: number | null;
  /** How much of what the model read came from its cache. */
  readonly cachedPercent: number | null;
  /** Permission mode. */
  readonly mode: string | null;
  readonly elapsedMs: number | null;
}

/** One row that fits any width: what matters least is left out first. */
export function renderStatusLine(status: RunStatus, columns: number, style: Terminal["style"]): string {
  const parts = describeStatus(status);
  let kept = parts;
  for (const leaving of leavingOrder) {
    if (displayWidth(kept.map(({ text }) => text).join(separator)) <= columns) break;
    kept = kept.filter(({ name }) => name !== leaving);
  }
  // Even the last one may be too wide.
  const text = fitWidth(kept.map((part) => part.text).join(separator), columns);
  const isFull = (contextPercent(status) ?? 0) >= 80;
  return isFull ? style("yellow", text) : style("dim", text);
}

interface Part {
  readonly name: "model" | "context" | "cost" | "cache" | "mode" | "elapsed";
  readonly text: string;
}

const separator = " · ";
const leavingOrder: readonly Part["name"][] = ["cache", "elapsed", "cost", "model", "mode"];

function describeStatus(status: RunStatus): Part[] {
  const { model, cost, cachedPercent, mode, elapsedMs } = status;
  const parts: Part[] = [];
  if (model !== null) parts.push({ name: "model", text: neutralizeLine(model) });
  const context = describeContext(status);
  if (context !== null) parts.push({ name: "context", text: context });
  if (cost !== null) parts.push({ name: "cost", text: formatCost(cost) });
  if (cachedPercent !== null) parts.push({ name: "cache", text: `cache ${cachedPercent}%` });
  if (mode !== null) parts.push({ name: "mode", text: neutralizeLine(mode) });
  if (elapsedMs !== null && elapsedMs >= 1000)
    parts.push({ name: "elapsed", text: formatDuration(Math.floor(elapsedMs / 1000) * 1000) });
  return parts;
}

function describeContext(status: RunStatus): string | null {
  const { contextTokens, maxContextTokens } = status;
  if (contextTokens === null) return null;
  if (maxContextTokens === null) return `${formatTokens(contextTokens)} tokens`;
  return `${formatTokens(contextTokens)}/${formatTokens(maxContextTokens)} (${contextPercent(status)}%)`;
}

function contextPercent({ contextTokens, maxContextTokens }: RunStatus): number | null {
  return contextTokens === null || maxContextTokens === null ? null : percentOf(contextTokens, maxContextTokens);
}
