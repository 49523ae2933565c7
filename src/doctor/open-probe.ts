import { existsSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProcesses, type Processes } from "../process/processes.ts";
import { createProtectedFinder } from "../guard/path/find-protected.ts";
import { createSandboxView } from "../config/sandbox-settings.ts";
import type { Subject } from "./doctor-subject.ts";

export interface Probe {
  readonly processes: Processes;
  close(): Promise<void>;
}

/**
 * Processes as the runtime would start them, with a run folder that is thrown away: whoever only asks leaves nothing
 * behind, neither in the workdir nor among the person's own files.
 */
export function openProbe({ folders, configuration, env, clock }: Subject): Probe {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-doctor-"));
  const view = createSandboxView({
    folders,
    configuration,
    env,
    mode: () => configuration.permissions.mode,
    protectedFiles: () => [],
    findProtected: createProtectedFinder(folders.workdir),
  });
  const processes = createProcesses({
    runFolder: folder,
    clock,
    sandbox: configuration.sandbox.mode,
    view() {
      const { cache: _, readOnly, ...rest } = view();
      // To protect a name that is missing, an empty folder would have to stand there.
      return { ...rest, readOnly: readOnly.filter((path) => existsSync(path)) };
    },
  });
  return {
    processes,
    async close() {
      await processes.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
