/** How the text of a file is stored. Without a byte order mark it is UTF-8. */
export interface TextFormat {
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be";
  /** Length of the byte order mark. */
  readonly markBytes: 0 | 2 | 3;
}

export function detectFormat(head: Buffer): TextFormat {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: "utf-8", markBytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe && !isUtf32(head)) return { encoding: "utf-16le", markBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", markBytes: 2 };
  return { encoding: "utf-8", markBytes: 0 };
}

/** Bytes of one unit: text starts and ends only at multiples of it. */
export function unitBytes(format: TextFormat): 1 | 2 {
  return format.encoding === "utf-8" ? 1 : 2;
}

/** The bytes of a text in that format, without a byte order mark. */
export function encodeText(text: string, format: TextFormat): Buffer {
  if (format.encoding === "utf-8") return Buffer.from(text);
  const bytes = Buffer.from(text, "utf16le");
  return format.encoding === "utf-16le" ? bytes : bytes.swap16();
}

/** What is not valid in the format becomes U+FFFD; a byte order mark in `bytes` is kept as a character. */
export function decodeText(bytes: Buffer, format: TextFormat): string {
  return new TextDecoder(format.encoding, { ignoreBOM: true }).decode(bytes);
}

function isUtf32(head: Buffer): boolean {
  return head.length >= 4 && head[2] === 0 && head[3] === 0;
}
