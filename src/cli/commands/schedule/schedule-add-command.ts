import { messageOf } from "../../../core/errors.ts";
import { toWire } from "../../../core/wire.ts";
import { printableJob } from "../../../schedule/jobs/job-view.ts";
import { warnOfJob } from "../../../schedule/jobs/warn-of-job.ts";
import type { WrittenJob } from "../../../schedule/schedule-service.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { describeJob } from "./describe-job.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import { readTimes } from "./schedule-show-command.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { tellUnserved, withSchedule } from "./with-schedule.ts";

const shownTimes = 5;

/** `deckhand schedule add NAME …` */
export async function runScheduleAdd(invocation: Invocation, terminal: Terminal): Promise<number> {
  // It says what may be done while nobody looks.
  refuseInsideCall(terminal);
  const written = readWritten(invocation);
  const isDryRun = invocation.has("dry-run");
  return withSchedule({ invocation, terminal }, async (view) => {
    const { schedule, runtime, by } = view;
    if (!schedule.isDurable && !isDryRun) {
      throw new UsageError("Jobs end with this command, because the store is kept in memory only: mend that first.");
    }
    const job = await schedule.add(written, { by, isDryRun });
    for (const warning of await warnOfJob(runtime, job)) terminal.tell(`deckhand: warning: ${warning}`);
    const next = await schedule.next(job, shownTimes);
    if (invocation.has("json")) {
      terminal.printJson({ ...printableJob(runtime, job), next: toWire(next) });
      return exitCode.done;
    }
    terminal.print(neutralizeText(describeJob(runtime.maskValue(job), next)));
    if (isDryRun) terminal.tell("A dry run: nothing was added.");
    else await tellUnserved(view);
    return exitCode.done;
  });
}

const texts = [
  ["tool", "tool"],
  ["file", "file"],
  ["prompt", "prompt"],
  ["agent", "agent"],
  ["improve", "improve"],
  ["message", "message"],
  ["cwd", "cwd"],
  ["model", "model"],
  ["overlap", "overlap"],
  ["missed", "missed"],
  ["missed-window", "missed_window"],
  ["jitter", "jitter"],
  ["deadline", "deadline"],
  ["timeout", "timeout"],
] as const;

function readWritten(invocation: Invocation): Partial<Record<keyof WrittenJob, unknown>> {
  const given = texts.flatMap(([option, key]) => {
    const value = invocation.value(option);
    return value === undefined ? [] : [[key, option === "overlap" ? readOverlap(value) : value]];
  });
  const input = invocation.value("input");
  const [allow, deny] = [invocation.values("allow"), invocation.values("deny")];
  return {
    name: invocation.positionals[0]!,
    ...readTimes(invocation),
    ...Object.fromEntries(given),
    ...(input === undefined ? {} : { input: readInput(input) }),
    ...readCount(invocation, "retries", "retries"),
    ...readCount(invocation, "pause-after", "pause_after"),
    ...(invocation.has("idempotent") ? { idempotent: true } : {}),
    ...(allow.length === 0 ? {} : { allow }),
    ...(deny.length === 0 ? {} : { deny }),
  };
}

const overlaps = ["skip", "queue-one", "cancel-old", "allow"];

/** As the options spell it; underscores, as in the settings, are understood too. */
function readOverlap(given: string): string {
  if (overlaps.includes(given.replaceAll("_", "-"))) return given.replaceAll("-", "_");
  throw new UsageError(`--overlap takes ${overlaps.slice(0, -1).join(", ")} or ${overlaps.at(-1)}, got "${given}".`);
}

function readInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new UsageError(`--input takes JSON, such as '{"path":"."}'; this is none: ${messageOf(thrown)}`);
  }
}

function readCount(invocation: Invocation, option: string, key: keyof WrittenJob): object {
  const given = invocation.value(option);
  if (given === undefined) return {};
  if (/^\d{1,15}$/.test(given)) return { [key]: Number(given) };
  throw new UsageError(`--${option} takes a whole number, got "${given}".`);
}
