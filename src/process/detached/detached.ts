import type { ProcessIdentity } from "../../core/process-identity.ts";
import type { StopReport } from "../../core/stop-report.ts";
import type { StartError } from "../run/run-request.ts";
import { readExit, readFacts, readGuard, takeBeginning } from "./detached-folder.ts";
import type { DetachedExit } from "./detached-folder.ts";
import { taskMarkerName } from "./detached-shim.ts";
import { findVictims } from "../stop/processes-to-kill.ts";
import { isAlive } from "../stop/process-identity-check.ts";
import type { ProcessParts } from "../process-parts.ts";
import { findStartProblem } from "../run/resolve-program.ts";
import type { StartRequest } from "../run/resolve-program.ts";
import { outputPaths, startDetached } from "./start-detached.ts";
import type { DetachedRequest, DetachedStart } from "./start-detached.ts";
import { stopTree } from "../stop/stop-tree.ts";
import type { StopTarget } from "../stop/stop-tree.ts";

/**
 * What has become of it, told from its folder alone, in any process.
 * - `unstarted`: the shim was not there yet, or died before it could start the program
 * - `running`: the shim, or something that the program started, lives
 * - `ended`: the shim left the exit status
 * - `gone`: nothing of it lives, and nobody wrote how it ended
 */
export type DetachedState =
  | { readonly state: "unstarted" | "gone"; readonly process: ProcessIdentity | null }
  | { readonly state: "running"; readonly process: ProcessIdentity }
  | { readonly state: "ended"; readonly process: ProcessIdentity | null; readonly exit: DetachedExit };

/**
 * Programs that live on when this process ends, each in a folder of its own, which is all that another process needs to watch and
 * stop it. They run without a sandbox: they are agents, which bring their own. `close` and `reapAbandoned` leave them alone.
 */
export interface Detached {
  /** Why this could not be started; null when nothing speaks against it. */
  findProblem(request: Omit<StartRequest, "executionId">): StartError | null;
  start(request: DetachedRequest): Promise<DetachedStart>;
  look(folder: string): DetachedState;
  /** True: it has not begun and never will, however late its shim comes. */
  forbid(folder: string): boolean;
  /**
   * Ends every process of it that can be found, and looks until none is left. A pid that is another's by now gets no signal. `onLiving`
   * is called when something of it lives, so that this may take the grace.
   */
  stop(folder: string, graceMs: number, onLiving?: () => void): Promise<StopReport>;
}

export function createDetached(parts: ProcessParts): Detached {
  const { table, clock } = parts;

  function look(folder: string): DetachedState {
    const process = readFacts(folder);
    const exit = readExit(folder);
    if (exit) return { state: "ended", process, exit };
    if (!process) return { state: "unstarted", process };
    if (isAlive(table, process) || hasOrphans(folder, process)) return { state: "running", process };
    // It may have ended between the two looks.
    const last = readExit(folder);
    return last ? { state: "ended", process, exit: last } : { state: "gone", process };
  }

  /** Somebody killed the shim; what it had started may still be at work. The guard and its sleep are not. */
  function hasOrphans(folder: string, process: ProcessIdentity): boolean {
    const target = targetIn(folder, process);
    const { victims, complete } = findVictims(table, target, { known: new Map() });
    return !complete || !victims.every(target.isHelper);
  }

  return {
    findProblem: (request) => findStartProblem({ ...request, executionId: "task" }),
    start: (request) => startDetached(parts, request),
    look,
    forbid: takeBeginning,
    stop: (folder, graceMs, onLiving) =>
      stopTree(targetIn(folder, readFacts(folder)), { table, clock, graceMs, ...(onLiving && { onLiving }) }),
  };
}

function targetIn(folder: string, root: ProcessIdentity | null): Required<StopTarget> {
  const guard = readGuard(folder);
  return {
    marker: `${taskMarkerName}=${folder}`,
    root,
    outputPaths: new Set(outputPaths(folder)),
    namespace: null,
    // The guard waits for the limit, in a sleep, also when the shim is gone.
    isHelper: ({ pid, parentPid }) => guard !== null && (pid === guard || parentPid === guard),
  };
}
