import { writeSync } from "node:fs";
import { Writable } from "node:stream";
import { codeOf } from "../../../core/errors.ts";

/**
 * Gives the tool streams that wait until what it prints is taken. Node's own would keep it in memory instead when the tool does
 * nothing but print, until there is none left.
 */
export function replacePrintStreams(): void {
  for (const [name, fd] of [
    ["stdout", 1],
    ["stderr", 2],
  ] as const) {
    let stream: PrintStream | undefined;
    const get = (): PrintStream => (stream ??= new PrintStream(fd));
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
  }
}

class PrintStream extends Writable {
  readonly fd: number;
  readonly isTTY = false;

  constructor(fd: number) {
    super({ autoDestroy: false });
    this.fd = fd;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    for (let sent = 0; sent < chunk.length;) sent += writeSome(this.fd, chunk, sent);
    done();
  }
}

function writeSome(fd: number, chunk: Buffer, from: number): number {
  try {
    return writeSync(fd, chunk, from);
  } catch (thrown) {
    // A child that shares the descriptor has made it one that does not wait.
    if (codeOf(thrown) === "EAGAIN") Atomics.wait(pause, 0, 0, 1);
    // Nobody takes it any more: then it is lost.
    return codeOf(thrown) === "EAGAIN" ? 0 : chunk.length - from;
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));
