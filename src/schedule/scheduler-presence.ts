import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { codeOf } from "../core/errors.ts";
import type { ProcessIdentity } from "../core/process.ts";

/** Who starts what is due in this workdir: a file for each process, in the person's own folder, that counts while the process lives. */
export interface SchedulerPresence {
  enter(): void;
  leave(): void;
  isSomebodyThere(): boolean;
}

const identity = z.object({ pid: z.int(), startTime: z.string(), bootId: z.string() });

export function openSchedulerPresence(options: {
  readonly folder: string;
  readonly self: ProcessIdentity;
  readonly isAlive: (owner: ProcessIdentity) => boolean;
}): SchedulerPresence {
  const { folder, self, isAlive } = options;
  const own = join(folder, `${self.pid}.json`);
  return {
    enter() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const { pid, startTime, bootId } = self;
      writeFileSync(own, JSON.stringify({ pid, startTime, bootId }), { mode: 0o600 });
    },
    leave: () => rmSync(own, { force: true }),
    isSomebodyThere: () => namesIn(folder).some((name) => isThere(join(folder, name))),
  };

  function isThere(path: string): boolean {
    try {
      if (isAlive(identity.parse(JSON.parse(readFileSync(path, "utf8"))))) return true;
    } catch {
      return false; // being written, or of no process that we know
    }
    rmSync(path, { force: true });
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw thrown;
  }
}
