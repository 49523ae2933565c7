import { dirname } from "node:path";
import { systemClock } from "../../../core/clock.ts";
import type { FindCrashLoop } from "../../../core/crash-loop.ts";
import { codeOf } from "../../../core/errors.ts";
import { beatVariable } from "../../../watchdog/child/watchdog-child-environment.ts";
import { crashFolder, readCrashRecords } from "../../../watchdog/records/crash-records.ts";
import { findCrashLoop } from "../../../watchdog/records/find-crash-loop.ts";
import { startHeartbeat, type Heartbeat } from "../../../watchdog/child/start-heartbeat.ts";
import { UsageError } from "../../parser/command.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** What a daemon does for the watchdog that started it. */
interface Watched {
  /** Looks into the watchdog's crash records. */
  readonly findCrashLoop: FindCrashLoop;
  /** From now on its event loop is to turn; say when it is ready, and when that ends. */
  beat(): Heartbeat;
}

/** Undefined when no watchdog started this process. */
export function readWatched(env: Terminal["env"]): Watched | undefined {
  const file = env["DECKHAND_WATCHDOG_HEARTBEAT_FILE"];
  if (!file) return undefined;
  return {
    findCrashLoop: (promotions) =>
      findCrashLoop(readCrashRecords(crashFolder(dirname(file))), promotions, systemClock.now()),
    beat: () => startHeartbeat(file, systemClock, readBeatMs(env)),
  };
}

function readBeatMs(env: Terminal["env"]): number | undefined {
  const seconds = Number(env[beatVariable]);
  return seconds > 0 ? seconds * 1000 : undefined;
}

/** Whether it would be the same after a restart, until a person changes something. */
export function isWrongForGood(thrown: unknown): boolean {
  return thrown instanceof UsageError || forGood.has(codeOf(thrown) ?? "");
}

const forGood = new Set(["CONFIG_INVALID", "WORKDIR_INVALID"]);
