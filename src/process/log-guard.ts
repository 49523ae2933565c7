import type { ChildProcess } from "node:child_process";
import { spawnClean } from "./spawn-clean.ts";

/** So long a log may get before the guard cuts it; its owner, while that lives, cuts it long before. */
const guardedBytes = 64 * 1024 * 1024;
/** One that grows by more than this between two looks is looked at more often. */
const busyBytes = 1024 * 1024;
const keptBytes = 4 * 1024 * 1024;
const headBytes = 64 * 1024;

/**
 * Starts a shell that cuts the log of a kept process when it has become too long, the way `trimLog` does: nobody else
 * watches it once its owner has ended. It stays outside the sandbox, where the command can reach neither it nor the
 * files it writes, and goes when the process or the log has gone. Returns how to end it at once.
 */
export function guardLog(log: string, pid: number): () => void {
  let guard: ChildProcess;
  try {
    guard = spawnClean("/bin/sh", ["-c", script, "deckhand-log-guard", log, String(pid)], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
    });
  } catch {
    return () => {}; // without it the log is cut by whoever looks at it
  }
  guard.on("error", () => {}); // the same
  guard.unref();
  return () => void guard.kill();
}

const script = `umask 077
size_of() { wc -c <"$1" || echo 0; }
trap 'kill "$!"; exit' TERM
pause=0.1
last=0
while kill -0 "$2" && [ -f "$1" ]; do
  sleep "$pause" &
  wait "$!"
  size=$(($(size_of "$1")))
  pause=0.5
  [ "$size" -ge "$last" ] && [ "$((size - last))" -lt ${busyBytes} ] || pause=0.1
  last=$size
  [ "$size" -gt ${guardedBytes} ] || continue
  [ -f "$1.head" ] || head -c ${headBytes} "$1" >"$1.head"
  tail -c ${keptBytes} "$1" | head -c ${keptBytes} >"$1.guarded"
  : >"$1"
  before=0
  [ -f "$1.dropped" ] && read -r before <"$1.dropped"
  [ -f "$1.previous" ] && before=$((before + $(size_of "$1.previous")))
  echo "$((before + size - $(size_of "$1.guarded")))" >"$1.dropped"
  mv -f "$1.guarded" "$1.previous"
done`;
