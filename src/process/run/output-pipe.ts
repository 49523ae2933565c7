import { once } from "node:events";
import { closeSync, constants, existsSync, mkdirSync, openSync, readSync, renameSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { Owned } from "../processes.ts";
import { spawnClean } from "./spawn-clean.ts";

/** Named pipes, made ahead: Node can't make any, and starting `mkfifo` takes as long as many a command. */
export interface PipeStock {
  /** Moves pipes of ours to these places. False when this machine, or this file system, has none. */
  place(paths: readonly string[]): Promise<boolean>;
}

const batchSize = 32;
/** With fewer than these left, the next batch is made while commands run. */
const lowStock = 8;

/** `folder` is asked for when the first pipes are made; on the file system that they are moved to. */
export function createPipeStock(folder: () => string, owned: Owned): PipeStock {
  const stock: string[] = [];
  let made = 0;
  let making: Promise<void> | undefined;

  async function makeBatch(): Promise<void> {
    const program = ["/usr/bin/mkfifo", "/bin/mkfifo", "/run/current-system/sw/bin/mkfifo"].find(existsSync);
    if (program === undefined) return;
    const place = join(folder(), "pipes");
    mkdirSync(place, { recursive: true, mode: 0o700 });
    const paths = Array.from({ length: batchSize }, () => join(place, String(++made)));
    const child = spawnClean(program, ["-m", "600", ...paths], {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "ignore"],
    });
    const [exitCode] = (await once(child, "exit")) as [number | null];
    if (exitCode === 0) stock.push(...paths);
  }

  function make(): Promise<void> {
    if (making) return making;
    const run = { end: async () => making, killNow() {} };
    owned.add(run);
    // Whatever the reason is: there are none, and output goes to files.
    making = makeBatch()
      .catch(() => {})
      .finally(() => {
        making = undefined;
        owned.remove(run);
      });
    return making;
  }

  return {
    async place(paths) {
      if (stock.length < paths.length) await make();
      if (stock.length < paths.length) return false;
      try {
        for (const path of paths) renameSync(stock.pop()!, path);
      } catch {
        return false; // the folder was removed by somebody
      }
      if (stock.length < lowStock) void make();
      return true;
    },
  };
}

/** A named pipe between a command and us. */
export interface OpenPipe {
  /** What the command writes to. It stays open here, and `finish` closes it. */
  readonly forChild: number;
  /**
   * Node switches its own stdout to writes that fail when the pipe is full, and with it that of every other process of the command.
   * This switches it back; whatever Node prints leads here as well.
   */
  keepBlocking(): void;
  /** Reads what is there now, without waiting, and closes the pipe. */
  finish(): void;
}

const pieceBytes = 64 * 1024;
/** A pipe holds no more than this, so that a writer that can't be ended is not read for ever. */
const mostHeldBytes = 1024 * 1024;

/**
 * Hands out what is written to the pipe; `take` gets a buffer that is used again. Opened for both ways: so it does not end when
 * the last writer goes and another one comes, as after `> /dev/stdout` of a command that had closed its own.
 */
export function openPipe(path: string, take: (bytes: Buffer) => void): OpenPipe {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const buffer = Buffer.allocUnsafeSlow(pieceBytes);
  const onread = {
    buffer,
    callback(count: number): boolean {
      keepBlocking();
      take(buffer.subarray(0, count));
      return true;
    },
  };
  const source = own(fd, () => new Socket({ fd, readable: true, writable: false, onread }));
  const forChild = own(fd, () => openSync(path, constants.O_WRONLY));
  const end: Socket & { _handle?: { setBlocking?(blocking: boolean): void } | null } = own(
    forChild,
    () => new Socket({ fd: forChild, readable: false, writable: true }),
  );
  const keepBlocking = (): void => end._handle?.setBlocking?.(true);
  keepBlocking();
  // It can't be read any more: what the command prints from now on is lost with it.
  source.on("error", () => {});
  end.on("error", () => {});
  source.resume();
  return {
    forChild,
    keepBlocking,
    finish() {
      end.destroy();
      for (let held = 0, count = 1; count > 0 && held < mostHeldBytes; held += count) {
        count = source.destroyed ? 0 : readNow(fd, buffer);
        if (count > 0) take(buffer.subarray(0, count));
      }
      source.destroy();
    },
  };
}

/** Closes the descriptor when what needs it can't be made. */
function own<Made>(fd: number, make: () => Made): Made {
  try {
    return make();
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
}

/** 0: there is nothing now. */
function readNow(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } catch (thrown) {
    if (codeOf(thrown) === "EAGAIN") return 0;
    throw thrown;
  }
}
