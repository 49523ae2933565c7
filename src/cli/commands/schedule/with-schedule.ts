import type { RuntimeConfig } from "../../../runtime/create-runtime.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { Schedule } from "../../../schedule/schedule-service.ts";
import { userName } from "../../../config/user-name.ts";
import type { Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { openRuntime, tellWarnings } from "../../open-runtime.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** What a command about jobs works with. */
export interface ScheduleView {
  readonly invocation: Invocation;
  readonly terminal: Terminal;
  readonly runtime: Runtime;
  readonly schedule: Schedule;
  /** The person whose command this is. */
  readonly by: string;
}

/** Opens the jobs of the workdir and closes them in any case. Starts nothing. */
export async function withSchedule(
  {
    invocation,
    terminal,
    config = {},
  }: Pick<ScheduleView, "invocation" | "terminal"> & { readonly config?: RuntimeConfig },
  work: (view: ScheduleView) => Promise<number>,
): Promise<number> {
  const runtime = await openRuntime(invocation, terminal, config);
  try {
    const schedule = await runtime.schedule();
    const code = await work({ invocation, terminal, runtime, schedule, by: userName() });
    if (code === exitCode.done) tellWarnings(runtime, terminal);
    return code;
  } finally {
    await runtime.close();
  }
}

/** A job that nobody starts is the first thing that its owner should hear. */
export async function tellUnserved({ schedule, terminal }: ScheduleView): Promise<void> {
  if ((await schedule.isServed()) === "no") {
    terminal.tell("Nothing starts jobs here now: no daemon runs. Start one with `deckhand serve`.");
  }
}
