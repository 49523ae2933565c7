import { isUtf8 } from "node:buffer";
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open, opendir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { nearest } from "../../core/text.ts";
import type { Place } from "../../guard/path/find-place.ts";
import { type OpenedRegular, openRegular } from "../../guard/path/open-folder.ts";
import { type Failure, failure, systemFailure } from "../failure.ts";
import type { Held } from "./locate-file.ts";
import { detectFormat } from "./text-format.ts";

/** Opens a regular file for reading; whoever gets the handle closes it. Never waits for the other end of a pipe. */
export async function openFile(held: Held): Promise<OpenedRegular | Failure> {
  try {
    const opened = await openRegular(held.place);
    if (opened.ok) return opened;
    if (opened.kind === "not_regular") return kindProblem(opened.stats, held.shown);
    return opened.kind === "missing" ? await notFound(held) : movedAway(held.shown);
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? notFound(held) : systemFailure(thrown, held.shown);
  }
}

/** Why this can't be read or replaced as a file. */
export function kindProblem(stats: BigIntStats, shown: string): Failure {
  if (stats.isDirectory()) {
    return failure("is_directory", `${shown} is a directory, not a file.`, "Use list_files to see what is in it.");
  }
  if (stats.isSymbolicLink()) return movedAway(shown);
  const kind = stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device";
  return failure("not_a_file", `${shown} is ${kind}, not a regular file.`, "Only regular files can be used here.");
}

function movedAway(shown: string): Failure {
  const error = `${shown} was moved or replaced by a link while it was opened.`;
  return failure("changed_meanwhile", error, "Look at it again with list_files, then send the call again.");
}

/** Says that a file is missing, and which names in its folder are like it. */
export async function notFound({ shown, path, place }: Held): Promise<Failure> {
  const error = `${shown} does not exist.`;
  const folder = dirname(shown);
  const names = await namesBeside(place);
  if (names === undefined) {
    const hint = `Its folder ${folder} does not exist either. Use list_files or glob.`;
    return failure("not_found", error, hint);
  }
  const alike = nearest(basename(path), names).map((name) => (folder === "." ? name : `${folder}/${name}`));
  const hint =
    alike.length > 0 ? `Did you mean ${alike.join(" or ")}?` : "Find the right name with list_files or glob.";
  return failure("not_found", error, hint);
}

const mostNames = 5000;

async function namesBeside({ folder, missing }: Place): Promise<string[] | undefined> {
  if (missing.length > 0) return undefined;
  try {
    const names: string[] = [];
    for await (const entry of await opendir(folder.at("."), { bufferSize: 256 })) {
      names.push(entry.name);
      if (names.length >= mostNames) break;
    }
    return names;
  } catch {
    // Only a hint depends on it: whatever is wrong with the folder, the file is not there.
    return undefined;
  }
}

export interface FileStart {
  readonly ok: true;
  /** The file from its first byte, at most as many bytes as asked for. */
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  readonly stats: BigIntStats;
}

/** Reads a regular file up to a limit. */
export async function readStart(held: Held, maxBytes: number): Promise<FileStart | Failure> {
  const opened = await openFile(held);
  if (!opened.ok) return opened;
  const { handle, stats } = opened;
  try {
    return { ok: true, stats, ...(await readUpTo(handle, Number(stats.size), maxBytes)) };
  } catch (thrown) {
    return systemFailure(thrown, held.shown);
  } finally {
    await handle.close();
  }
}

/** The same for a file that no model named: one of our own, or one that says what git ignores. Empty when it can't be. */
export async function readOwnStart(path: string, maxBytes: number): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = await handle.stat();
    return stats.isFile() ? (await readUpTo(handle, stats.size, maxBytes)).bytes : Buffer.alloc(0);
  } catch {
    return Buffer.alloc(0);
  } finally {
    await handle?.close();
  }
}

async function readUpTo(
  handle: FileHandle,
  size: number,
  maxBytes: number,
): Promise<Pick<FileStart, "bytes" | "isWhole">> {
  // One byte more than there should be, to notice a file that grows.
  const buffer = Buffer.allocUnsafe(Math.min(size, maxBytes) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return { bytes: buffer.subarray(0, Math.min(length, buffer.length - 1)), isWhole: length < buffer.length };
}

/**
 * What a file is when it is not text, judged by its first bytes ("a PNG image", "a binary file"); undefined for text.
 * UTF-16 is text when it has its byte order mark: without one it can't be told from other binary data.
 */
export function recognizeBinary(head: Buffer): string | undefined {
  if (detectFormat(head).encoding !== "utf-8") return undefined;
  const sample = head.subarray(0, sampleBytes);
  const known = signatures.find(({ bytes, at }) => sample.subarray(at, at + bytes.length).equals(bytes));
  const isBinary = sample.includes(0) || controlShare(sample) > 0.3 || (known !== undefined && !isUtf8(sample));
  return isBinary ? (known?.kind ?? "a binary file") : undefined;
}

/** As much as `recognizeBinary` looks at. */
export const sampleBytes = 8192;

/** The share of bytes that text hardly ever has: control characters other than white space, bell, backspace, escape. */
function controlShare(sample: Buffer): number {
  let controls = 0;
  for (const byte of sample) if (byte < 7 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127) controls++;
  return sample.length === 0 ? 0 : controls / sample.length;
}

const signatures = [
  signature("a PNG image", "\x89PNG\r\n\x1a\n"),
  signature("a JPEG image", "\xff\xd8\xff"),
  signature("a GIF image", "GIF87a"),
  signature("a GIF image", "GIF89a"),
  signature("a WebP image", "WEBPVP8", 8),
  signature("an AVIF or HEIC image", "ftypavif", 4),
  signature("an AVIF or HEIC image", "ftypheic", 4),
  signature("a TIFF image", "II*\0"),
  signature("a TIFF image", "MM\0*"),
  signature("a PDF document", "%PDF-"),
  signature("a ZIP archive (also docx, xlsx, jar)", "PK\x03\x04"),
  signature("a gzip archive", "\x1f\x8b"),
  signature("a bzip2 archive", "BZh9"),
  signature("an xz archive", "\xfd7zXZ\0"),
  signature("a zstd archive", "\x28\xb5\x2f\xfd"),
  signature("a 7z archive", "7z\xbc\xaf\x27\x1c"),
  signature("a tar archive", "ustar", 257),
  signature("an ELF program", "\x7fELF"),
  signature("a Mach-O program", "\xcf\xfa\xed\xfe"),
  signature("a Windows program", "MZ\x90\0"),
  signature("a WebAssembly module", "\0asm"),
  signature("an SQLite database", "SQLite format 3\0"),
  signature("a sound or video file", "ftyp", 4),
  signature("a sound or video file", "OggS\0"),
  signature("a sound or video file", "ID3\x03"),
  signature("a sound or video file", "ID3\x04"),
];

function signature(kind: string, bytes: string, at = 0): { kind: string; bytes: Buffer; at: number } {
  return { kind, bytes: Buffer.from(bytes, "latin1"), at };
}
