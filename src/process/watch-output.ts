import { closeSync, constants, fstatSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import type { CommandRequest, OutputFile, OutputStream } from "./command.ts";
import { createOutputAnchor } from "./output-anchor.ts";
import { createOutputTail } from "./output-tail.ts";
import { restoreFile } from "./restore-file.ts";
import type { Ticker } from "./ticker.ts";

export interface OutputFiles {
  readonly stdout: WatchedFile;
  readonly stderr: WatchedFile;
  /** What the child writes to; whoever spawns closes them. */
  readonly forChild: { readonly stdout: number; readonly stderr: number };
  /** For the case that nothing will be watched. */
  close(): void;
}

interface WatchedFile {
  readonly stream: OutputStream;
  readonly path: string;
  readonly fd: number;
}

export interface WatchOptions {
  readonly maxOutputBytes: number;
  readonly onOutput?: CommandRequest["onOutput"];
  /** Something was written. */
  readonly grew: () => void;
  readonly overLimit: () => void;
}

/** Pieces are for people: 20 a second read like a stream. */
const calmMs = 50;
/** A file that grows by a gigabyte a second is noticed before it has taken much. */
const busyMs = 4;
const busyBytes = 256 * 1024;
const newcomerTurns = 20;

/** The output files of a command, made for us alone. */
export function openOutputFiles(folder: string): OutputFiles {
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const fd = openSync(path, flags, 0o600);
    opened.push(fd);
    return fd;
  };
  try {
    const [stdout, stderr] = [join(folder, "stdout"), join(folder, "stderr")];
    const forChild = { stdout: open(stdout, createForChild), stderr: open(stderr, createForChild) };
    const ours = { stdout: open(stdout, constants.O_RDWR), stderr: open(stderr, constants.O_RDWR) };
    return {
      stdout: { stream: "stdout", path: stdout, fd: ours.stdout },
      stderr: { stream: "stderr", path: stderr, fd: ours.stderr },
      forChild,
      close() {
        closeSync(ours.stdout);
        closeSync(ours.stderr);
      },
    };
  } catch (thrown) {
    for (const fd of opened) closeSync(fd);
    throw thrown;
  }
}

/** O_APPEND: after the file was cut back, the child goes on at its new end instead of leaving a hole. */
const createForChild = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL;

export interface WatchedOutput {
  /** The final sizes; `cut`: one of them was over the limit and was cut back to it. */
  finish(): Record<OutputStream, OutputFile> & { readonly cut: boolean };
}

/** Watchers see that something is missing, and the mask that the text may go on inside a key. */
function gapNote(skippedBytes: number): string {
  return skippedBytes === 0 ? "" : `\n… [${skippedBytes.toLocaleString("en-US")} bytes left out] …\n`;
}

/** Watches both files until `finish`. */
export function watchOutput(ticker: Ticker, files: OutputFiles, options: WatchOptions): WatchedOutput {
  const { onOutput, maxOutputBytes } = options;
  const followed = [files.stdout, files.stderr].map((file) => ({
    ...file,
    size: 0,
    emptied: false,
    anchor: createOutputAnchor(file.fd),
    tail:
      onOutput &&
      createOutputTail(file.fd, (text, skippedBytes) => onOutput(file.stream, gapNote(skippedBytes) + text)),
  }));
  let turns = 0;
  let cut = false;
  const remove = ticker.add(() => {
    turns += 1;
    const grown = followed.reduce((sum, file) => sum + follow(file), 0);
    return grown > busyBytes ? busyMs : turns < newcomerTurns ? busyMs * 2 : calmMs;
  });

  function follow(file: (typeof followed)[number], last = false): number {
    const written = fstatSync(file.fd).size;
    const grown = written - file.size;
    file.size = Math.min(written, maxOutputBytes);
    if ((grown !== 0 || last) && !file.anchor.holds()) {
      file.emptied = true;
      file.tail?.restart();
    }
    if (grown !== 0) {
      file.anchor.moveTo(file.size);
      options.grew();
      guard(() => file.tail?.advance(file.size));
    }
    if (written > maxOutputBytes) {
      cut = true;
      // Also while it is being stopped: one that ignores SIGTERM must not fill the disk meanwhile.
      ftruncateSync(file.fd, maxOutputBytes);
      options.overLimit();
    }
    return grown;
  }

  return {
    finish() {
      remove();
      for (const file of followed) {
        follow(file, true);
        guard(() => file.tail?.finish(file.size));
        if (!restoreFile(file)) file.size = 0;
      }
      files.close();
      const [stdout, stderr] = followed.map(({ path, size, emptied }) => ({ path, bytes: size, emptied })) as [
        OutputFile,
        OutputFile,
      ];
      return { stdout, stderr, cut };
    },
  };
}

/** Whoever watches a command can't hurt it: what a listener throws ends here. */
function guard(action: () => void): void {
  try {
    action();
  } catch {
    // The listener's own failure; the whole output is in the file.
  }
}
