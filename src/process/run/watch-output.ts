import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Ticker } from "./hold-run.ts";
import { openPipe, type OpenPipe } from "./output-pipe.ts";
import type { CommandRequest, OutputFile, OutputStream } from "./run-request.ts";

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

/** A command can reach its own output file. Whatever it did there, the path shall hold what it wrote; false: it can't. */
function restoreFile({ path, fd }: { readonly path: string; readonly fd: number }): boolean {
  const written = fstatSync(fd);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.ino === written.ino && found.dev === written.dev) return true;
  try {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, "", { mode: 0o600, flag: "wx" });
    const buffer = Buffer.alloc(1024 * 1024);
    for (let at = 0, count = 1; count > 0; at += count) {
      count = readSync(fd, buffer, 0, buffer.length, at);
      appendFileSync(path, buffer.subarray(0, count));
    }
    return true;
  } catch {
    return false; // the disk is full, or the folder is not ours any more
  }
}

/** Notices that a file which should only grow was emptied, also when it has grown again since. */
export interface OutputAnchor {
  /** False when what was seen the last time is not there any more. */
  holds(): boolean;
  /** Remembers the end of what is there now. */
  moveTo(size: number): void;
}

const anchorBytes = 64;

/**
 * The proof is the text last seen, which must stay where it was. What came and went between two looks can't be
 * noticed at all: nothing tells how far the child had written.
 */
function createOutputAnchor(fd: number): OutputAnchor {
  let seen = Buffer.alloc(0);
  let from = 0;

  function read(start: number, bytes: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(fd, buffer, 0, bytes, start));
  }

  return {
    holds: () => seen.length === 0 || read(from, seen.length).equals(seen),
    moveTo(size) {
      from = Math.max(0, size - anchorBytes);
      seen = size === 0 ? Buffer.alloc(0) : Buffer.from(read(from, size - from));
    },
  };
}

/** Follows a growing file and hands out its new text in pieces of whole characters. */
export interface OutputTail {
  /** Reads what is new up to `size`; what is more than one piece behind is skipped. */
  advance(size: number): void;
  /** Takes bytes that somebody else has read; `from` is where they stood in the file. */
  feed(bytes: Buffer, from: number): void;
  /** The file was cut back to nothing; what follows goes on where the text is now. */
  restart(): void;
  /** Reads the rest and gives what was held back: the beginning of a character that never came. */
  finish(size: number): void;
}

/** The most that is read in one turn, and so all the memory that output of any size takes. */
const usualBytes = 64 * 1024;

/** `skippedBytes`: how much before this text nobody will see. */
export type GiveText = (text: string, skippedBytes: number) => void;

export function createOutputTail(fd: number, give: GiveText, pieceBytes = usualBytes): OutputTail {
  let position = 0;
  let decoder = newDecoder();

  function advance(size: number): void {
    const start = Math.max(position, size - pieceBytes);
    if (size <= start) return;
    const buffer = Buffer.allocUnsafe(size - start);
    feed(buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, start)), start);
  }

  function feed(bytes: Buffer, from: number): void {
    const skipped = from > position;
    if (skipped) decoder = newDecoder();
    const start = skipped ? firstCharacter(bytes) : position - from;
    const skippedBytes = skipped ? from + start - position : 0;
    position = Math.max(position, from + bytes.length);
    hand(decoder.decode(bytes.subarray(start), { stream: true }), skippedBytes);
  }

  function hand(text: string, skippedBytes = 0): void {
    if (text !== "") give(text, skippedBytes);
  }

  return {
    advance,
    feed,
    restart() {
      position = 0;
    },
    finish(size) {
      advance(size);
      hand(decoder.decode());
    },
  };
}

function newDecoder() {
  return new TextDecoder("utf-8", { ignoreBOM: true });
}

/** Skipping may land inside a character: its remaining bytes all look like 10xxxxxx. */
function firstCharacter(buffer: Buffer): number {
  let at = 0;
  while (at < Math.min(buffer.length, 3) && (buffer[at]! & 0xc0) === 0x80) at += 1;
  return at;
}
