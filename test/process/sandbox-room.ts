import assert from "node:assert/strict";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandEnd } from "../../src/process/run/run-request.ts";
import type { SandboxView } from "../../src/process/sandbox/sandbox-view.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openBench, textOf, viewOf, type Bench } from "./support.ts";

export interface Room extends Bench {
  readonly workdir: string;
  /** Exit code, stdout and stderr of a script run by sh in the workdir. */
  readonly sh: (script: string, cwd?: string) => Promise<[number | null, string, string]>;
  readonly end: (script: string) => Promise<CommandEnd>;
}

/** A workdir with a neighbour, and a view of it that can be changed between commands. */
export async function openRoom(
  t: { after(hook: () => Promise<void>): void },
  more: Partial<SandboxView> & { at?: string } = {},
): Promise<Room & { view: SandboxView }> {
  const { at, ...view } = more;
  const place = at ?? (await temporaryFolder(t));
  const workdir = join(place, "work dir");
  mkdirSync(workdir, { recursive: true });
  writeFileSync(join(place, "neighbour"), "outside\n");
  const room = { view: viewOf(realpathSync(workdir), view) };
  const bench = await openBench(t, { sandbox: "require", view: () => room.view });
  const end = (script: string, cwd = workdir): Promise<CommandEnd> => bench.run(["sh", "-c", script], { cwd });
  return Object.assign(room, bench, {
    workdir,
    end,
    async sh(script: string, cwd?: string): Promise<[number | null, string, string]> {
      const done = await end(script, cwd);
      assert.equal(done.startError, null);
      const told: [number | null, string, string] = [done.exitCode, textOf(done.stdout), textOf(done.stderr)];
      await done.discard();
      return told;
    },
  });
}
