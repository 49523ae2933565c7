import { clipText, cutText } from "../core/cut-text.ts";
import { stopProofs, type StopProof } from "../core/stop-report.ts";
import { isFinalTask, type Task, type TaskState } from "../core/task.ts";
import { proofs } from "./describe-outcome.ts";
import { exitCode } from "./exit-code.ts";
import { formatDuration } from "../core/format-time.ts";

/** Longer than any terminal is wide; for lists that are not printed on one. */
const summaryCharacters = 200;

/** Of a text that somebody sent; a page or two are enough to know it again, and --json has all of it. */
const shownCharacters = 4000;

/** What it has to do and, where that is known, how it stands; in one line. */
export function summarizeTask({ order, state, error, progress }: Task): string {
  const message = clipText(order.message.trim(), summaryCharacters);
  const news = state === "completed" ? null : isFinalTask(state) ? error : progress;
  return news === null ? message : `${message} → ${clipText(news, summaryCharacters)}`;
}

/** How long it took, or has taken so far. Waiting for its turn does not count. */
export function durationOfTask({ startedAt, completedAt, state }: Task, now: number): string {
  if (startedAt === null || (completedAt === null && isFinalTask(state))) return "";
  return formatDuration(Math.max(0, (completedAt ?? now) - startedAt));
}

/** All that there is to know of it, for a person; its answer is not part of this. */
export function describeTask(task: Task, now: number): string {
  const { order } = task;
  const facts: [string, string | null][] = [
    ["state", stateOf(task, now)],
    ["agent", order.agent + (order.model === null ? "" : `, model ${order.model}`)],
    ["message", cutText(order.message, shownCharacters)],
    ["system prompt", order.systemPrompt && cutText(order.systemPrompt, shownCharacters)],
    ["arguments", order.args.length === 0 ? null : JSON.stringify(order.args)],
    ["works in", folderOf(order)],
    ["time limit", formatDuration(order.timeoutMs)],
    ["permissions", order.bypassesPermissions ? "the agent's own checks are off" : null],
    ["progress", isFinalTask(task.state) ? null : task.progress],
    ["error", task.error],
    ["created", timeOf(task.createdAt)],
    ["started", timeOf(task.startedAt)],
    ["last active", timeOf(task.activeAt)],
    ["completed", timeOf(task.completedAt)],
    ["attempt", task.attempt > 1 ? String(task.attempt) : null],
    ["came in by", task.door],
    ["session", task.sessionId],
    ["key", order.idempotencyKey],
    ["stop", describeProof(task)],
    ["ran as", task.process && `process ${task.process.pid}`],
    ["output", task.folder],
  ];
  const lines = facts.flatMap(([label, fact]) => (fact ? [`  ${label.padEnd(13)}  ${indentRest(fact)}`] : []));
  return [task.id, ...lines, ""].join("\n");
}

/** Where it works, as far as that can be told here. */
export function folderOf({ cwd }: Task["order"]): string {
  return cwd ?? "the workdir of its worker";
}

/** What is known of what was stopped; null when nothing was. */
export function describeProof({ state, stopProof }: Pick<Task, "state" | "stopProof">): string | null {
  if (state !== "cancelled" && state !== "timeout") return null;
  if (stopProof === null) return "it had not begun, so there was nothing to stop";
  return proofs[stopProofs.find((proof): proof is StopProof => proof === stopProof) ?? "none"];
}

/** What a command ends with that waited for this task. */
export function exitCodeOfTask(state: TaskState): number {
  switch (state) {
    case "completed":
    case "queued":
    case "running":
      return exitCode.done;
    case "failed":
    case "lost":
      return exitCode.failed;
    case "timeout":
      return exitCode.timeLimit;
    case "cancelled":
      return exitCode.cancelled;
  }
}

function stateOf(task: Task, now: number): string {
  const duration = durationOfTask(task, now);
  if (task.state === "queued") return task.progress === null ? "queued: it waits for its turn" : "queued";
  return `${task.state}${duration && ` (${isFinalTask(task.state) ? "" : "for "}${duration})`}`;
}

function timeOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function indentRest(text: string): string {
  return text.trimEnd().replaceAll("\n", `\n${" ".repeat(17)}`);
}
