import { realpathSync, statSync, type Stats } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { codeOf, RuntimeError } from "../../core/errors.ts";
import type { Task, TaskDoor, TaskOrder } from "../../core/task.ts";
import type { TaskManagerOptions } from "./task-parts.ts";

/** What somebody asks for. It may come from a model, so nothing of it is believed. */
export type TaskRequest = Pick<TaskOrder, "agent" | "message"> & {
  readonly [Key in keyof Omit<TaskOrder, "agent" | "message">]?: TaskOrder[Key] | undefined;
} & { readonly door: TaskDoor; readonly mayLeaveWorkspace?: boolean };

const longestMs = 24 * 60 * 60_000;
const maxMessageBytes = 16 * 1024 * 1024;
const longestKey = 500;

/** The order in full. Throws TASK_INVALID with one sentence. */
export function readTaskRequest(request: TaskRequest, options: TaskManagerOptions): TaskOrder {
  const order: TaskOrder = {
    agent: readText("agent", request.agent),
    message: readMessage(request.message),
    systemPrompt: readOptional("system prompt", request.systemPrompt),
    model: readOptional("model", request.model),
    cwd: readFolder(request, options),
    args: readArguments(request.args),
    timeoutMs: readTimeout(request.timeoutMs ?? options.limits.timeoutMs),
    resume: readOptional("session to resume", request.resume),
    idempotencyKey: readKey(request.idempotencyKey),
    isIdempotent: readSwitch("idempotent", request.isIdempotent),
    bypassesPermissions: readSwitch("permission bypass", request.bypassesPermissions),
  };
  checkBypass(options, order);
  return order;
}

/** Also where it is started: an order may come from another machine, with other settings. */
export function checkBypass({ mayBypass }: TaskManagerOptions, { agent, bypassesPermissions }: TaskOrder): void {
  if (!bypassesPermissions || mayBypass(agent)) return;
  throw invalid(
    `${show(agent)} may not bypass its permission checks. Set agents.NAME.allow_bypass in your settings, or start the task without the bypass.`,
  );
}

function readMessage(value: unknown): string {
  const message = readText("message", value);
  if (message.trim() === "") throw invalid("The message is empty. Say what the agent should do.");
  const bytes = Buffer.byteLength(message);
  if (bytes > maxMessageBytes) {
    throw invalid(
      `Message too large: ${bytes} bytes (maximum ${maxMessageBytes}). Put it in a file and refer to the file.`,
    );
  }
  return message;
}

function readTimeout(value: unknown): number {
  if (typeof value === "number" && value > 0 && value <= longestMs) return value;
  const came = typeof value === "number" ? `${value / 1000} s` : show(value);
  throw invalid(`Invalid timeout ${came}: expected more than 0 s and at most 24 hours.`);
}

/** Without links: what is started there later must be started in the folder that was checked. */
function readFolder(request: TaskRequest, options: TaskManagerOptions): string | null {
  const { workdir, store } = options;
  const mayLeave = request.mayLeaveWorkspace ?? options.mayLeaveWorkspace(request.door);
  const given = readOptional("working directory", request.cwd);
  if (given?.includes("\0")) throw invalid(`Invalid working directory ${show(given)}: it contains a NUL character.`);
  // This machine's workdir says nothing about the one that will run it, and neither does what is in it.
  if (store.shared?.runsHere === false) {
    if (given && !mayLeave && !isInside(workdir, resolve(workdir, given))) throw outside(given, workdir);
    return given === "" ? null : given;
  }
  const path = resolve(workdir, given ?? "");
  const found = lookAt(path);
  if (!found) throw invalid(`The working directory "${path}" does not exist. Create it, or choose another one.`);
  if (!found.isDirectory()) throw invalid(`The working directory "${path}" is not a directory.`);
  const real = realpathSync(path);
  if (!mayLeave && !isInside(realpathSync(workdir), real)) throw outside(path, workdir);
  checkFolder(options, real);
  return real;
}

/** Also where it is started: links may lead elsewhere by then. */
export function checkFolder({ whyNoWorkdir }: TaskManagerOptions, folder: string): void {
  const why = whyNoWorkdir(folder);
  if (why !== undefined) throw invalid(`The working directory "${folder}" ${why}. Choose the folder of a project.`);
}

function outside(path: string, workdir: string): RuntimeError {
  return invalid(
    `The working directory "${path}" is outside the workspace ${workdir}. Choose one inside it; a person can start the task there, or set permissions.tasks_outside_workspace to true.`,
  );
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    const shown = `${path.slice(0, 80)}${path.length > 80 ? "…" : ""}`;
    throw invalid(
      `Can't use the working directory "${shown}" (${codeOf(thrown) ?? "unknown error"}). Choose another one.`,
    );
  }
}

function readArguments(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw invalid(`Invalid args ${show(value)}: expected a list of strings, such as ["--flag", "value"].`);
}

function readKey(value: unknown): string | null {
  const key = readOptional("idempotency key", value);
  if (key === null || (key !== "" && key.length <= longestKey)) return key;
  throw invalid(`Invalid idempotency key: expected 1 to ${longestKey} characters, got ${key.length}.`);
}

function readSwitch(what: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  throw invalid(`Invalid value ${show(value)} for ${what}: expected true or false.`);
}

function readOptional(what: string, value: unknown): string | null {
  return value === undefined || value === null ? null : readText(what, value);
}

function readText(what: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw invalid(`Invalid value ${show(value)} for ${what}: expected a string.`);
}

function show(value: unknown): string {
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  return (text ?? typeof value).slice(0, 80);
}

export function invalid(message: string): RuntimeError {
  return new RuntimeError("TASK_INVALID", message);
}

/**
 * Throws TASK_INVALID when the key of an order is that of another job: whoever ordered it would take that one's answer for its
 * own, and never learn that this job was not done. How long it may take, and whether it may be repeated, makes no other job.
 */
export function checkSameOrder(
  kept: Task,
  order: TaskOrder,
  { door, mask }: { readonly door: TaskDoor; readonly mask: (text: string) => string },
): void {
  // A run makes its key itself; its job may have been changed since.
  if (door === "schedule") return;
  // Of one that has ended, secrets are not kept.
  const masked = maskOrder(order, mask);
  const isUnlike = (key: keyof TaskOrder): boolean =>
    ![order, masked].some((one) => isDeepStrictEqual(kept.order[key], one[key]));
  const unlike = parts.filter(([key]) => isUnlike(key)).map(([, name]) => name);
  if (unlike.length === 0) return;
  throw invalid(
    `The idempotency key ${JSON.stringify(order.idempotencyKey?.slice(0, 80))} belongs to ${kept.id} (${kept.state}), which has ` +
      `a different ${unlike.join(" and a different ")}. Use another key for a different task.`,
  );
}

/** The order as it is kept once its task has ended. */
export function maskOrder(order: TaskOrder, mask: (text: string) => string): TaskOrder {
  const { message, systemPrompt, args } = order;
  return {
    ...order,
    message: mask(message),
    systemPrompt: systemPrompt === null ? null : mask(systemPrompt),
    args: args.map(mask),
  };
}

const parts = [
  ["agent", "agent"],
  ["message", "message"],
  ["systemPrompt", "system prompt"],
  ["model", "model"],
  ["cwd", "working directory"],
  ["args", "argument list"],
  ["resume", "session to resume"],
  ["bypassesPermissions", "permission bypass"],
] as const satisfies readonly (readonly [keyof TaskOrder, string])[];
