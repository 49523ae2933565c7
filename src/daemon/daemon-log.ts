import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../core/clock.ts";
import { timeToWire } from "../core/wire.ts";

/** What the daemon said about itself, for who looks later; the journal says what it did. */
export interface DaemonLog {
  write(sentence: string): void;
}

const mostBytes = 5 * 1024 * 1024;

/** The last file beside this one is kept as `.1`. A disk that is full costs lines, nothing else. */
export function openDaemonLog(path: string, clock: Clock): DaemonLog {
  return {
    write(sentence) {
      try {
        // Not `recursive: true`: where a folder can't have folders (/proc), Node tries that for ever.
        for (const folder of [dirname(dirname(path)), dirname(path)]) {
          if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
        }
        if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameSync(path, `${path}.1`);
        const text = sentence.replaceAll("\n", " ");
        appendFileSync(path, `${String(timeToWire(clock.now()))} ${process.pid} ${text}\n`, { mode: 0o600 });
      } catch {
        // Whoever watches stderr is told all the same.
      }
    },
  };
}

export const daemonLogName = "daemon.log";
