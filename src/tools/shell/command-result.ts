import { open } from "node:fs/promises";
import type { ToolResult } from "../../core/tool.ts";
import type { CommandEnd, OutputFile, OutputStream, StartError } from "../../process/run/run-request.ts";
import { type Failure, failure, formatBytes, formatCount } from "../failure.ts";

/** Puts a whole output where it can be read later; says where. */
export type KeepOutput = (rawPath: string, fileName: string) => Promise<string>;

export interface ResultOptions {
  readonly executionId: string;
  readonly keepOutput: KeepOutput;
  readonly maxOutputBytes: number;
  /** What the person or model called it: `Command`, `Python`. */
  readonly subject: string;
}

/** A model reads at most so much of each stream; the rest is in a file. */
const shownBytes = { stdout: 24_000, stderr: 8_000 };

/** What came of a command: its output, cut to what a model can read, and whether that is a success. */
export async function commandResult(end: CommandEnd, options: ResultOptions): Promise<ToolResult> {
  const { subject } = options;
  if (end.startError) return startFailure(end.startError, subject);

  const stdout = await showStream("stdout", end, options);
  const stderr = await showStream("stderr", end, options);
  const shown = {
    output: joinStreams(stdout.text, stderr.text),
    data: { exit_code: end.exitCode, stdout: stdout.text, stderr: stderr.text },
    outputBytes: end.stdout.bytes + end.stderr.bytes,
    ...(stdout.lines === null || stderr.lines === null ? {} : { outputLines: stdout.lines + stderr.lines }),
    ...filesOf([...stdout.files, ...stderr.files]),
  };
  if (end.stoppedBy === "output_limit") {
    const limit = formatBytes(options.maxOutputBytes);
    const error = `${subject} was stopped: it wrote more than ${limit} of output`;
    const hint = "Send the output to a file, or let it through head, tail or grep.";
    return { ...shown, ok: false, error, hint, errorType: "output_limit" };
  }
  if (end.stoppedBy) return { ...shown, ok: false, error: `${subject} was stopped`, errorType: "cancelled" };
  if (end.exitCode === 0) return { ...shown, ok: true };
  if (end.diskFull) {
    const how = end.killedBy ? `was killed by ${end.killedBy}` : `exited with code ${end.exitCode}`;
    return { ...shown, ok: false, error: `${subject} ${how}, and the disk is full`, ...fullDisk };
  }
  if (end.killedBy)
    return { ...shown, ok: false, error: `${subject} was killed by ${end.killedBy}`, errorType: "signal" };
  return {
    ...shown,
    ok: false,
    error: `${subject} exited with code ${end.exitCode}`,
    errorType: "exit_code",
    ...hintFor(end, shown.output),
  };
}

const fullDisk = {
  errorType: "disk_full",
  hint: "The disk that holds the output of commands (XDG_STATE_HOME) has no space left: free some, then send the same call again.",
} as const;

function startFailure({ code, message }: StartError, subject: string): Failure {
  const failed = failure(errorTypeOfStart(code), `${subject} could not be started: ${message}`);
  return code === "ENOSPC" || code === "EDQUOT" ? { ...failed, ...fullDisk } : failed;
}

/** What the machine lacks is no fault of the program. */
export function errorTypeOfStart(code: string): "resources" | "spawn" {
  return ["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"].includes(code) ? "resources" : "spawn";
}

interface ShownStream {
  readonly text: string;
  readonly files: readonly string[];
  readonly lines: number | null;
}

async function showStream(stream: OutputStream, end: CommandEnd, options: ResultOptions): Promise<ShownStream> {
  const file = end[stream];
  const { text, leftOut, lines: counted } = await extractOutput(file, shownBytes[stream]);
  const notes: string[] = [];
  const files: string[] = [];
  if (file.emptied) notes.push(emptiedNote(stream));
  if (leftOut > 0) {
    try {
      const kept = await options.keepOutput(file.path, `${options.executionId}.${stream}.txt`);
      const what = end.diskFull ? `What the full disk took of ${stream}` : `The whole ${stream}`;
      notes.push(`[${what}, ${formatBytes(file.bytes)}: ${kept}]`);
      files.push(kept);
    } catch {
      // A full disk must not turn a command that worked into one that failed.
      notes.push(`[The whole ${stream} could not be kept]`);
    }
  } else if (end.diskFull && file.lostBytes === 0 && stream === "stdout") {
    notes.push("[The disk is full: output may be missing]");
  }
  if (file.lostBytes > 0) notes.push(lostNote(stream, file.lostBytes));
  const lines = notes.length === 0 || text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return { text: lines + notes.join("\n"), files, lines: counted };
}

function lostNote(stream: OutputStream, bytes: number): string {
  return `[The disk is full: the last ${bytes.toLocaleString("en-US")} bytes of ${stream} are lost]`;
}

function emptiedNote(stream: OutputStream): string {
  return `[The command emptied its own ${stream}, as \`> /dev/${stream}\` does; what came before is lost. \`>&1\` and \`>&2\` are safe.]`;
}

function joinStreams(stdout: string, stderr: string): string {
  if (stderr === "") return stdout === "" ? "(no output)" : stdout;
  return stdout === "" ? `[stderr]\n${stderr}` : `${stdout}${stdout.endsWith("\n") ? "" : "\n"}[stderr]\n${stderr}`;
}

function filesOf(files: readonly string[]): { readonly files?: readonly string[] } {
  return files.length > 0 ? { files } : {};
}

function hintFor({ exitCode, explain }: CommandEnd, output: string): { readonly hint?: string } {
  const refusal = explain(output);
  if (refusal !== null) return { hint: refusal };
  if (exitCode === 127) return { hint: "A program was not found: check its name, or install it." };
  if (exitCode === 126) return { hint: "A program was found but can't be executed: check its mode." };
  return {};
}

/** What a model sees of a stream: all of it, or its head and tail. */
export interface OutputExtract {
  readonly text: string;
  /** Bytes that are not in `text`. */
  readonly leftOut: number;
  /** Of the whole output; null when it is too long to be counted. */
  readonly lines: number | null;
}

/** Reads at most `maxBytes` of the file, half from each end, whatever its size. Broken characters become U+FFFD. */
async function extractOutput(file: OutputFile, maxBytes: number): Promise<OutputExtract> {
  if (file.bytes === 0) return { text: "", leftOut: 0, lines: 0 };
  const handle = await open(file.path, "r");
  try {
    const read = async (from: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    };
    if (file.bytes <= maxBytes) {
      const text = decoder.decode(await read(0, file.bytes));
      return { text, leftOut: 0, lines: countLines(text) };
    }
    const half = Math.floor(maxBytes / 2);
    const head = dropBrokenEnd(dropPartOfLine(await read(0, half), "end"));
    const tail = dropBrokenStart(dropPartOfLine(await read(file.bytes - half, half), "start"));
    const leftOut = file.bytes - head.length - tail.length;
    const hidden = leftOut <= maxCountedBytes ? decoder.decode(await read(head.length, leftOut)) : null;
    const size = hidden === null ? `${formatCount(leftOut)} bytes` : `${formatCount(hidden.length)} characters`;
    const note = `${head.at(-1) === newline ? "" : "\n"}… [${size} left out] …\n`;
    const [begin, end] = [decoder.decode(head), decoder.decode(tail)];
    return { text: begin + note + end, leftOut, lines: hidden === null ? null : countLines(begin + hidden + end) };
  } finally {
    await handle.close();
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What is left out is read only to say how much it is: beyond this, its size in bytes has to do. */
const maxCountedBytes = 8_000_000;

/** The last line counts also without a newline behind it. */
function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

const newline = 0x0a;
/** The longest part of a line that is given up so that a cut is between two. */
const maxPart = 2048;

/** Half a line is hard to read, and half a secret hard to find. */
function dropPartOfLine(bytes: Buffer, at: "start" | "end"): Buffer {
  if (at === "end") {
    const end = bytes.lastIndexOf(newline) + 1;
    return end > 0 && bytes.length - end <= maxPart ? bytes.subarray(0, end) : bytes;
  }
  const start = bytes.indexOf(newline) + 1;
  return start > 0 && start <= maxPart && start < bytes.length ? bytes.subarray(start) : bytes;
}

/** Without the character that the cut went through. */
function dropBrokenEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}

function dropBrokenStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
