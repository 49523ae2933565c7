import { isFinal, type Execution } from "../core/execution.ts";
import { clipText } from "../core/cut-text.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { formatDuration } from "../core/format-time.ts";

/** Longer than any terminal is wide; for lists that are not printed on one. */
const summaryCharacters = 200;

/** What it was asked to do and, where it went wrong, why; in one line. */
export function summarizeExecution({ toolInput, state, error }: Execution): string {
  const input = clipText(summarizeInput(toolInput), summaryCharacters);
  if (state === "completed" || error === null) return input;
  return [input, clipText(error, summaryCharacters)].filter(Boolean).join(" → ");
}

/** The one value that says most: a command, a path, a pattern; otherwise the JSON. */
function summarizeInput(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return JSON.stringify(input) ?? "";
  const entries = Object.entries(input);
  if (entries.length === 0) return "";
  const telling = tellingKeys.find((key) => typeof (input as Record<string, unknown>)[key] === "string");
  if (telling !== undefined) return (input as Record<string, string>)[telling]!;
  return JSON.stringify(input);
}

const tellingKeys = ["command", "file_path", "pattern", "code", "path", "url", "query", "question", "message"];

/** How long it took, or has taken so far. */
export function durationOf({ durationMs, startedAt, state }: Execution, now: number): string {
  if (durationMs !== null) return formatDuration(durationMs);
  if (startedAt === null || isFinal(state)) return "";
  return formatDuration(Math.max(0, now - startedAt));
}

/** The whole record, for a person. */
export function describeExecution(execution: Execution, now: number): string {
  const { result } = execution;
  const { error, remarks } = describeOutcome(execution);
  const facts: [string, string | null | undefined][] = [
    ["state", stateOf(execution, now)],
    ["tool", nameOf(execution)],
    ["input", JSON.stringify(execution.toolInput)],
    ["error", isFinal(execution.state) ? error : null],
    ["error type", execution.errorType],
    ...remarks.map((remark, index): [string, string] => [index === 0 ? "remarks" : "", remark]),
    ["created", timeOf(execution.createdAt)],
    ["started", timeOf(execution.startedAt)],
    ["completed", timeOf(execution.completedAt)],
    ["limits", limitsOf(execution)],
    ["attempt", execution.attempt > 1 ? String(execution.attempt) : null],
    ["came in by", execution.door],
    ["conversation", execution.conversationId],
    ["part of", execution.batchId ?? execution.parentId],
    ["stop", execution.stopCause && `${execution.stopCause}, proof: ${execution.stopProof ?? "none was needed"}`],
    ["permission", permissionOf(execution)],
    ["sandbox", sandboxOf(execution)],
    ["ran in", execution.owner && `process ${execution.owner.pid}`],
    ["output", result?.output ? `${execution.outputBytes} bytes` : null],
  ];
  const lines = facts.flatMap(([label, fact]) => (fact ? [`  ${label.padEnd(12)}  ${fact}`] : []));
  return [execution.id, ...lines, ...(result?.output ? ["", result.output.trimEnd()] : []), ""].join("\n");
}

function stateOf(execution: Execution, now: number): string {
  const duration = durationOf(execution, now);
  const phase = execution.runPhase === "not_started" && isFinal(execution.state) ? ", was not started" : "";
  return `${execution.state}${phase}${duration && ` (${isFinal(execution.state) ? "" : "for "}${duration})`}`;
}

function nameOf({ toolName, toolId, version }: Execution): string {
  const canonical = toolId ?? `${toolName} (unknown)`;
  const asked = toolId !== null && toolId !== toolName ? `, asked for as ${toolName}` : "";
  return `${canonical}${asked}${version === null || version === "builtin" ? "" : `, version ${version}`}`;
}

function limitsOf({ timeoutMs, idleMs }: Execution): string | null {
  if (timeoutMs === null) return null;
  return `${formatDuration(timeoutMs)}${idleMs === null ? "" : `, ${formatDuration(idleMs)} without a sign of life`}`;
}

function timeOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function permissionOf({ permission }: Execution): string | null {
  if (!permission) return null;
  const { decision, by, rule, who, dangers } = permission;
  const details = [rule && `rule ${rule}`, who && `by ${who}`, dangers.length > 0 && `danger: ${dangers.join(", ")}`];
  return [`${decision} (${by})`, ...details.filter(Boolean)].join(", ");
}

function sandboxOf({ sandbox }: Execution): string | null {
  if (!sandbox) return null;
  if (sandbox.kind === "none") return "none";
  return `${sandbox.kind}, ${sandbox.profile ?? ""}, network ${sandbox.network ? "on" : "off"}`;
}
