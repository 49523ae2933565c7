import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export function heartbeatFile(stateFolder: string): string {
  return join(stateFolder, "heartbeat");
}

export interface Beat {
  /** Another text with each beat; what it says does not matter, clocks jump. */
  readonly mark: string;
  /** Its event loop turns, and it is not ready yet. */
  readonly isStarting: boolean;
  /** Who beats: the child, or something that it started. */
  readonly pid: number | null;
  /** Makes it print its stack and end. */
  readonly stackSignal: "SIGINT" | null;
}

/** The watchdog's side. Null: it has not beaten yet. */
export function readBeat(path: string): Beat | null {
  try {
    const { mtimeMs, size } = statSync(path);
    const { pid, stack_signal: stack, starting } = parse(readFileSync(path, "utf8"));
    return {
      mark: `${mtimeMs} ${size}`,
      isStarting: starting === true,
      pid: typeof pid === "number" ? pid : null,
      stackSignal: stack === "SIGINT" ? stack : null,
    };
  } catch {
    return null;
  }
}

/** Before each start: what an earlier child left is no beat of the next one. */
export function clearBeat(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true });
}

function parse(text: string): {
  readonly pid?: unknown;
  readonly stack_signal?: unknown;
  readonly starting?: unknown;
} {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {}; // any program may beat by touching the file
  }
}
