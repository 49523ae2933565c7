import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { ImagePart } from "../../core/message.ts";

/** What providers take at most. */
const mostBytes = 5 * 1024 * 1024;

const mediaTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

export function isImageName(path: string): boolean {
  return extname(path).toLowerCase() in mediaTypes;
}

/** Or why it can't be shown, as a sentence without its end. */
export async function readImage(path: string, workdir: string): Promise<ImagePart | string> {
  if (!isImageName(path)) return `${path} is no picture that models take: use png, jpeg, gif or webp`;
  try {
    const bytes = await readFile(resolve(workdir, path));
    if (bytes.length > mostBytes) return `${path} is larger than 5 MB, which no model takes: make it smaller`;
    const mediaType = mediaTypeOf(bytes);
    // A provider refuses the whole conversation for it, now and whenever it is sent again.
    if (mediaType === undefined) return `${path} is named like a picture and holds none: use png, jpeg, gif or webp`;
    return { type: "image", mediaType, data: bytes.toString("base64") };
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? `${path} does not exist` : `${path} can't be read: ${messageOf(thrown)}`;
  }
}

/** By its first bytes: names lie. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const begins = bytes.toString("latin1", 0, 12);
  if (begins.startsWith("\u0089PNG\r\n\u001a\n")) return "image/png";
  if (begins.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(begins)) return "image/gif";
  return /^RIFF[\s\S]{4}WEBP/.test(begins) ? "image/webp" : undefined;
}
