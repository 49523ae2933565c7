import { isUtf8 } from "node:buffer";
import { detectFormat } from "./text-format.ts";

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
