import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { isFinalRun, type Run } from "../../src/core/job.ts";
import type { Runtime, RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import { createTrust } from "../../src/permissions/trust/open-trust.ts";
import type { Schedule } from "../../src/schedule/schedule-service.ts";
import { isolatedEnvironment, openRuntime, until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

export interface ScheduledRuntime {
  readonly home: string;
  readonly runtime: Runtime;
  readonly schedule: Schedule;
}

/** A runtime with jobs; in a folder of the test's, where it gives one. */
export async function openScheduled(
  t: TestContext,
  { home, ...config }: RuntimeConfig & { readonly home?: string } = {},
): Promise<ScheduledRuntime> {
  const folder = home ?? (await temporaryFolder(t));
  const runtime = await openRuntime(t, { home: folder, ...config });
  return { home: folder, runtime, schedule: await runtime.schedule() };
}

/** A tool file that says what it was made to say, and is trusted. */
export async function writeTool(
  home: string,
  file: string,
  { name, says }: { name: string; says: string },
): Promise<void> {
  await mkdir(join(home, "tools"), { recursive: true });
  const spec = { name, description: "Says something.", input_schema: { type: "object" }, traits: { read_only: true } };
  const text = `export const TOOL_SPEC = ${JSON.stringify(spec)};\nexport const run = () => ${JSON.stringify(says)};\n`;
  await writeFile(join(home, "tools", file), text);
  const trust = createTrust(home, isolatedEnvironment(home));
  trust.grant("kim", { files: trust.files().map(({ path }) => path), quarantined: [] });
}

const neverAborted = new AbortController().signal;

/** Runs it here and now. */
export function runHere(schedule: Schedule, name: string): Promise<Run> {
  return schedule.carryOut(name, { by: "kim", signal: neverAborted });
}

/** Waits until the run has ended, whoever carries it out. */
export function untilEnded(schedule: Schedule, id: string): Promise<Run> {
  return until(
    `the run ${id} has ended`,
    async () => {
      const run = await schedule.getRun(id);
      return run && isFinalRun(run.state) ? run : undefined;
    },
    60_000,
  );
}
