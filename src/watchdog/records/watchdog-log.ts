import { closeSync, constants, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../../core/errors.ts";

/**
 * The child's output and what the watchdog did, in a file that is renamed when it is large. What is no file, such as /dev/null or
 * /dev/stdout, is never renamed: root could.
 */
export interface WatchdogLog {
  /** Never throws: what can't be written is counted, and told by a line once there is room again. */
  write(bytes: Uint8Array): void;
  note(at: number, sentence: string): void;
  /** Goes on in a new file when somebody moved or removed this one. */
  refresh(): void;
  close(): void;
}

export function openWatchdogLog(
  path: string,
  { maxBytes, files }: { readonly maxBytes: number; readonly files: number },
): WatchdogLog {
  let fd: number | undefined;
  let size = 0;
  let lostBytes = 0;
  let endsLine = true;
  let canRotate = false;

  function open(): void {
    close();
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    fd = openSync(path, openFlags, 0o600);
    const stats = fstatSync(fd);
    ({ size } = stats);
    canRotate = stats.isFile();
  }

  function close(): void {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  }

  function rotate(): void {
    for (let number = files - 1; number >= 1; number--) {
      moveQuietly(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`);
    }
    open();
  }

  function put(bytes: Uint8Array): void {
    if (fd === undefined) open();
    for (let at = 0; at < bytes.length;) at += writeSync(fd!, bytes, at);
    size += bytes.length;
    if (bytes.length > 0) endsLine = bytes.at(-1) === newline;
  }

  function write(bytes: Uint8Array): void {
    try {
      if (lostBytes > 0) {
        put(Buffer.from(`${endsLine ? "" : "\n"}[${lostBytes} bytes could not be written here]\n`));
        lostBytes = 0;
      }
      if (canRotate && size > 0 && size + bytes.length > maxBytes) {
        // The line that was begun is ended in the old file.
        const rest = endsLine ? 0 : bytes.indexOf(newline) + 1;
        put(bytes.subarray(0, rest));
        rotate();
        put(bytes.subarray(rest));
      } else put(bytes);
    } catch {
      lostBytes += bytes.length;
    }
  }

  try {
    open();
  } catch (thrown) {
    throw new RuntimeError("CONFIG_INVALID", `The log file ${path} can't be written: ${messageOf(thrown)}.`, {
      cause: thrown,
    });
  }
  return {
    write,
    note: (at, sentence) =>
      write(Buffer.from(`${endsLine ? "" : "\n"}${new Date(at).toISOString()} watchdog: ${sentence}\n`)),
    refresh() {
      try {
        const found = statSync(path, { throwIfNoEntry: false });
        const own = fd === undefined ? undefined : fstatSync(fd);
        if (own && found?.ino === own.ino && found.dev === own.dev) return;
        open();
      } catch {
        // The next write tries again.
      }
    },
    close,
  };
}

const newline = 10;
/** Neither a pipe that nobody reads nor one that is full makes the watchdog wait. */
const openFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

function moveQuietly(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}
