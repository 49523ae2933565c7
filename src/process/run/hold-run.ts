import type { SandboxReport } from "../../core/call.ts";
import type { Clock } from "../../core/clock.ts";
import type { ProcessIdentity, StopReport } from "../../core/process.ts";
import type { ProcessParts } from "../processes.ts";
import type { SandboxView } from "../sandbox/sandbox-view.ts";
import { identify } from "../stop/process-identity-check.ts";
import type { ProcessTable } from "../stop/process-table.ts";
import { findVictims, type Look } from "../stop/processes-to-kill.ts";
import { type StopTarget, stopTree } from "../stop/stop-tree.ts";
import { settlesWithin } from "../stop/wait.ts";
import type { Launched } from "./launch.ts";
import { markerOf, type ProcessRecord, type Run } from "./run-folder.ts";

/** What held it; `view` is null when nothing did. */
export interface Confinement {
  readonly report: SandboxReport;
  readonly view: SandboxView | null;
}

interface RunFacts {
  readonly run: Run;
  readonly record: ProcessRecord;
  readonly launched: Launched;
  readonly confinement: Confinement;
  readonly paths: readonly string[];
  discard(): Promise<void>;
}

/** A run that was started, and every way to end it. */
export interface HeldRun extends Omit<RunFacts, "paths"> {
  stop(): Promise<StopReport>;
  /** After the command ended by itself: ends what it left behind; null when that was nothing. */
  endLeftBehind(): Promise<StopReport | null>;
  killNow(): void;
}

export function holdRun(parts: ProcessParts, facts: RunFacts): HeldRun {
  const { table, clock, graceMs } = parts;
  const { launched, record, run } = facts;
  const init = record.contained ? rememberInit(table, launched) : null;
  const target: StopTarget = {
    marker: markerOf(run.folder),
    root: launched.identity,
    outputPaths: new Set(facts.paths),
    namespace: init && { init, release, isBusy: () => busy },
  };

  let busy = true;
  void launched.ended.then(() => void (busy = false));

  async function release(): Promise<void> {
    await settlesWithin(clock, launched.ended, 200);
    launched.release();
    await settlesWithin(clock, launched.gone, 500);
  }

  function leftNothing(): boolean {
    if (!init) return isEmpty(findVictims(table, target, { known: new Map() }));
    const first = init();
    // Without a first process there is nothing, or a bwrap that failed half way and left its child behind.
    return first ? table.childrenOf(first.pid).length === 0 : isEmpty(findVictims(table, target, { known: new Map() }));
  }

  async function stop(restMs = graceMs): Promise<StopReport> {
    const report = await stopTree(target, { table, clock, graceMs: restMs });
    await settlesWithin(clock, launched.gone, 1000);
    return report;
  }

  return {
    run,
    record,
    launched,
    confinement: facts.confinement,
    stop: () => stop(),
    async endLeftBehind() {
      if (leftNothing()) {
        launched.release();
        if (await settlesWithin(clock, launched.gone, 1000)) return null;
      }
      const began = (await launched.ended).sandboxError === undefined;
      const report = await stop(began ? graceMs : 0);
      return report.killed.length + report.survivors.length > 0 ? report : null;
    },
    killNow() {
      for (const pid of [init?.()?.pid, -launched.identity.pid]) {
        try {
          if (pid) process.kill(pid, "SIGKILL");
        } catch {
          // It was quicker.
        }
      }
    },
    discard: () => facts.discard(),
  };
}

function isEmpty({ victims, complete }: Look): boolean {
  return complete && victims.length === 0;
}

/** Its start time must be read while it lives, so that its end can be told from another's life. */
function rememberInit(table: ProcessTable, launched: Launched): () => ProcessIdentity | null {
  let init: ProcessIdentity | null = null;
  return () => {
    const pid = init ? null : launched.initPid();
    // Whatever the file says, it can only be a child of the process that we started.
    if (pid && table.find(pid)?.parentPid === launched.identity.pid) init = identify(table, pid);
    return init;
  };
}

/** One timer for all commands that are watched. */
export interface Ticker {
  /** Calls `tick` again and again; it returns after how many milliseconds it wants the next turn. */
  add(tick: () => number): () => void;
}

export function createTicker(clock: Clock): Ticker {
  const watched = new Map<() => number, number>();
  let cancelTimer: (() => void) | undefined;

  function arm(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    if (watched.size === 0) return;
    const due = Math.min(...watched.values());
    cancelTimer = clock.after(Math.max(1, due - clock.monotonic()), turn);
  }

  function turn(): void {
    cancelTimer = undefined;
    const now = clock.monotonic();
    for (const [tick, due] of watched) {
      if (due > now) continue;
      const delayMs = tick();
      if (watched.has(tick)) watched.set(tick, clock.monotonic() + delayMs);
    }
    arm();
  }

  return {
    add(tick) {
      watched.set(tick, clock.monotonic() + firstDelayMs);
      arm();
      return () => {
        if (watched.delete(tick)) arm();
      };
    },
  };
}

const firstDelayMs = 10;
