import { existsSync } from "node:fs";
import { isAbsolute, normalize, relative, resolve } from "node:path";
import type { ScheduleConfiguration } from "../../config/schedule-settings.ts";
import { messageOf, RuntimeError } from "../../core/errors.ts";
import type { JobWork, ToolFileRef } from "../../core/job.ts";
import { nearest } from "../../core/text.ts";
import type { Tool } from "../../core/tool.ts";
import { type CanonicalName, parseRule } from "../../permissions/rules/permission-rule.ts";
import { readDuration, readWhen } from "../times/read-when.ts";
import type { JobOrder, WrittenJob } from "./create-job.ts";
import { findToolOfJob } from "./find-tool-of-job.ts";
import type { JobRunnerParts } from "./held-jobs.ts";

export interface OrderParts extends WorkParts {
  readonly settings: ScheduleConfiguration;
  readonly timeZone: string;
  readonly canonicalName: CanonicalName;
  readonly now: number;
}

const dayMs = 24 * 60 * 60_000;

/** What somebody wrote, checked against what is here, with the defaults of the settings. Throws JOB_INVALID. */
export async function readJobOrder(parts: OrderParts, written: WrittenJob): Promise<JobOrder> {
  const { settings, now } = parts;
  const { cron, every, at, time_zone: timeZone = parts.timeZone } = written;
  const when = await readWhen({ timeZone, ...(cron && { cron }), ...(every && { every }), ...(at && { at }) }, now);
  const work = await readJobWork(parts, written);
  const { jitter, deadline } = written;
  return {
    name: written.name,
    work,
    when,
    overlap: written.overlap ?? settings.overlap,
    missed: {
      mode: written.missed ?? settings.missed,
      windowMs: windowOf(written) ?? Math.round(settings.missedDays * dayMs),
    },
    ...(jitter === undefined ? {} : { jitterMs: readDuration(jitter, "jitter") }),
    ...(deadline === undefined ? {} : { deadlineMs: readDuration(deadline, "deadline") }),
    ...timeoutOf(work, durationOf(written, "timeout"), settings),
    retries: written.retries ?? settings.retries,
    pauseAfterFailures: written.pause_after ?? settings.pauseAfterFailures,
    isIdempotent: written.idempotent ?? false,
    grant: { allow: checkRules(parts, written.allow), deny: checkRules(parts, written.deny) },
  };
}

function durationOf(written: WrittenJob, key: "missed_window" | "timeout"): number | undefined {
  const text = written[key];
  return text === undefined ? undefined : readDuration(text, key.replaceAll("_", " "));
}

function windowOf(written: WrittenJob): number | undefined {
  const windowMs = durationOf(written, "missed_window");
  if (windowMs !== 0) return windowMs;
  throw new RuntimeError(
    "JOB_INVALID",
    "A window of 0 for missed runs makes up for none of them: say so by missed none, or give at least 1s.",
  );
}

/** An agent's own limit is in its order, and the run's is a little behind it. */
function timeoutOf(
  { kind }: JobWork,
  given: number | undefined,
  { timeoutMs }: ScheduleConfiguration,
): { readonly timeoutMs?: number } {
  return kind === "agent" ? {} : { timeoutMs: given ?? timeoutMs };
}

function checkRules({ canonicalName }: OrderParts, rules: readonly string[] = []): readonly string[] {
  for (const rule of rules) {
    try {
      parseRule(rule, canonicalName);
    } catch (thrown) {
      throw new RuntimeError("JOB_INVALID", (thrown as Error).message, { cause: thrown });
    }
  }
  return rules;
}

interface WorkParts extends Pick<JobRunnerParts, "runtime" | "catalog" | "workshop"> {
  /** For agents whose order does not say. */
  readonly taskTimeoutMs: number;
  /** Throws MODEL_INVALID for a name that no model can have here. */
  readonly checkModel: (name: string) => Promise<void>;
}

const kinds = ["tool", "file", "prompt", "agent", "improve"] as const;
/** What else belongs to which kind. */
const companions: Readonly<Record<string, readonly string[]>> = {
  input: ["tool", "file"],
  message: ["agent"],
  cwd: ["agent"],
  model: ["prompt", "agent"],
};

/** What is to be done; it must be possible as things are now. Throws JOB_INVALID. */
async function readJobWork(parts: WorkParts, written: WrittenJob): Promise<JobWork> {
  const given = kinds.filter((kind) => written[kind] !== undefined);
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    throw invalid(
      `Expected one thing to do: a tool, a file, a prompt, an agent or improve; got ${given.join(" and ") || "none"}.`,
    );
  }
  for (const [key, owners] of Object.entries(companions)) {
    if (written[key as keyof WrittenJob] !== undefined && !owners.includes(kind)) {
      throw invalid(`"${key}" belongs to ${owners.join(" or ")}, and this job has ${kind}: leave it out.`);
    }
  }
  switch (kind) {
    case "tool":
    case "file":
      return readTool(parts, written);
    case "prompt":
      return readPrompt(parts, written);
    case "agent":
      return readAgent(parts, written);
    case "improve":
      return readImprove(parts, written.improve!);
  }
}

async function readPrompt({ checkModel }: WorkParts, { prompt = "", model }: WrittenJob): Promise<JobWork> {
  try {
    if (model !== undefined) await checkModel(model);
  } catch (thrown) {
    throw new RuntimeError("JOB_INVALID", messageOf(thrown), { cause: thrown });
  }
  return { kind: "prompt", prompt, model: model ?? null };
}

async function readTool(parts: WorkParts, { tool: toolName = "", file, input = {} }: WrittenJob): Promise<JobWork> {
  const asked = { toolName, toolRef: file === undefined ? null : refOf(parts, file) };
  const found = await findToolOfJob(parts, asked);
  if (!found.ok) throw invalid(file === undefined || isThere(parts, file) ? found.problem : noFile(parts, file));
  const { tool } = found;
  if (!tool.traits.offeredIn.includes("schedule")) throw invalid(`${tool.name} is not for schedules.`);
  const checked = tool.check(input);
  if (!checked.ok) throw invalid(tellInput(tool, checked.problems));
  const known = parts.workshop.status().files.find((each) => each.tool === tool.name);
  const from = asked.toolRef?.file ?? known?.file;
  const toolRef: ToolFileRef | null =
    from === undefined ? null : { kind: "custom_file", file: from, toolName: tool.name, entrypoint: "run" };
  return { kind: "tool", toolName: tool.name, toolRef, input };
}

/** As the workshop names its files: from the workdir. */
function refOf({ runtime }: WorkParts, file: string): ToolFileRef {
  const path = isAbsolute(file) ? relative(runtime.workdir, resolve(file)) : normalize(file);
  return { kind: "custom_file", file: path, toolName: path, entrypoint: "run" };
}

function isThere({ runtime }: WorkParts, file: string): boolean {
  return existsSync(resolve(runtime.workdir, file));
}

function noFile({ workshop }: WorkParts, file: string): string {
  const [meant] = nearest(
    file,
    workshop.status().files.map((each) => each.file),
    1,
  );
  return `There is no file ${file}${meant === undefined ? "." : `: did you mean ${meant}?`}`;
}

function tellInput(tool: Tool, problems: readonly { readonly path: string; readonly message: string }[]): string {
  const told = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  return `The input does not fit ${tool.name}: ${told}. See \`deckhand tools ${tool.name}\`.`;
}

async function readAgent(parts: WorkParts, written: WrittenJob): Promise<JobWork> {
  const { agent: name = "", message, model = null, cwd, timeout } = written;
  if (message === undefined) throw invalid(`Say what ${name} has to do: a message.`);
  const tasks = await parts.runtime.tasks();
  const agents = await tasks.agents();
  const names = agents.map((each) => each.name);
  if (!names.includes(name)) {
    const near = nearest(name, names, 1);
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are: ${names.join(", ")}.`;
    throw invalid(`There is no agent named "${name}". ${hint}`);
  }
  const folder = resolve(parts.runtime.workdir, cwd ?? "");
  if (tasks.runsHere && !existsSync(folder))
    throw invalid(`There is no folder ${cwd}: make it first, or name another.`);
  const order = {
    agent: name,
    message,
    model,
    systemPrompt: null,
    // Whoever runs it elsewhere has a workdir of its own.
    cwd: tasks.runsHere ? folder : (cwd ?? null),
    args: [],
    timeoutMs: timeout === undefined ? parts.taskTimeoutMs : readDuration(timeout, "timeout"),
    resume: null,
    bypassesPermissions: false,
  };
  return { kind: "agent", order };
}

async function readImprove({ runtime, catalog, workshop }: WorkParts, name: string): Promise<JobWork> {
  await runtime.prepareTools();
  const tool = catalog.resolve(name)?.name ?? name;
  if (workshop.liveVersion(tool)) return { kind: "improve", toolName: tool };
  const known = workshop.status().files.flatMap((file) => file.tool ?? []);
  const hint = known.length === 0 ? "There are no tool files here." : `Tool files here: ${known.join(", ")}.`;
  throw invalid(`There is no tool "${name}" that comes from a file, and only such a one can be improved. ${hint}`);
}

function invalid(message: string): RuntimeError {
  return new RuntimeError("JOB_INVALID", message);
}
