import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { CommandRequest, OutputFile, OutputStream } from "./run-request.ts";
import { createOutputAnchor } from "./output-anchor.ts";
import { openPipe, type OpenPipe } from "./output-pipe.ts";
import { createOutputTail } from "./output-tail.ts";
import { restoreFile } from "../sandbox/restore-file.ts";
import type { Ticker } from "./ticker.ts";

export interface OutputFiles {
  readonly stdout: WatchedFile;
  readonly stderr: WatchedFile;
  /** What the child writes to; `isShared`: they stay open here, otherwise whoever spawns closes them. */
  readonly forChild: { readonly stdout: number; readonly stderr: number; readonly isShared: boolean };
  /** By which a process that writes to them is known. */
  readonly paths: readonly string[];
  /** For the case that nothing will be watched. */
  close(): void;
}

interface WatchedFile {
  readonly stream: OutputStream;
  readonly path: string;
  readonly fd: number;
  /** Puts what the command prints into the file; null when it writes there itself. */
  readonly reader: FileReader | null;
}

interface FileReader extends OpenPipe {
  /** How much of it the disk did not take. */
  readonly lostBytes: number;
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

/** Where the pipes of a command are, in the order of its streams. */
export function outputPipes(folder: string): [string, string] {
  return [join(folder, "stdout.pipe"), join(folder, "stderr.pipe")];
}

/**
 * The output files of a command, made for us alone. Through pipes, which are there then, the command can't reach them: one that
 * opens its own output once more (`> /dev/stdout`) would empty a file.
 */
export function openOutputFiles(folder: string, arePiped: boolean): OutputFiles {
  const opened: number[] = [];
  const readers: FileReader[] = [];
  const open = (path: string, flags: number): number => {
    const fd = openSync(path, flags, 0o600);
    opened.push(fd);
    return fd;
  };
  try {
    const pipes = outputPipes(folder);
    const [stdout, stderr] = (["stdout", "stderr"] as const).map((stream, index) => {
      const path = join(folder, stream);
      const direct = open(path, createForChild);
      const fd = open(path, constants.O_RDWR);
      if (!arePiped) return { stream, path, fd, reader: null, forChild: direct };
      const reader = readIntoFile(pipes[index]!, direct);
      readers.push(reader);
      return { stream, path, fd, reader, forChild: reader.forChild };
    }) as [WatchedFile & { forChild: number }, WatchedFile & { forChild: number }];
    return {
      stdout,
      stderr,
      forChild: { stdout: stdout.forChild, stderr: stderr.forChild, isShared: arePiped },
      paths: [stdout.path, stderr.path, ...pipes],
      close() {
        for (const { fd, reader } of [stdout, stderr]) {
          reader?.finish();
          closeSync(fd);
        }
      },
    };
  } catch (thrown) {
    for (const reader of readers) reader.finish();
    for (const fd of opened) closeSync(fd);
    throw thrown;
  }
}

/** Closes the file in the end. A full disk must not stop the command: what it prints then is read, and lost. */
function readIntoFile(pipe: string, fd: number): FileReader {
  let lostBytes = 0;
  let isOpen = true;
  const source = openPipe(pipe, (bytes) => {
    let at = 0;
    try {
      // Once something is missing, what follows would look as if it came right after the part before.
      while (at < bytes.length && lostBytes === 0) at += writeSync(fd, bytes, at);
    } catch {
      // Counted below; the result names the full disk.
    }
    lostBytes += bytes.length - at;
  });
  return {
    forChild: source.forChild,
    keepBlocking: () => source.keepBlocking(),
    get lostBytes() {
      return lostBytes;
    },
    finish() {
      if (!isOpen) return;
      isOpen = false;
      source.finish();
      closeSync(fd);
    },
  };
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
    for (const { reader } of followed) reader?.keepBlocking();
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
        file.reader?.finish();
        follow(file, true);
        guard(() => file.tail?.finish(file.size));
        if (!restoreFile(file)) file.size = 0;
      }
      files.close();
      const [stdout, stderr] = followed.map(({ path, size: bytes, emptied, reader }) => {
        return { path, bytes, emptied, lostBytes: reader?.lostBytes ?? 0 };
      }) as [OutputFile, OutputFile];
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
