import type { ImagePart } from "../../core/message.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import { asResult, failure, formatBytes } from "../failure.ts";
import { withPlace, type Held } from "./locate-file.ts";
import { readStart } from "./open-file.ts";
import { readTool } from "./read.ts";

/** What providers take at most. */
const mostBytes = 5 * 1024 * 1024;

/**
 * `read` for a picture that a person shows to the model: by that name, so that its rules, hooks and limits count, and with
 * its record. The picture itself goes to `take`: a record is no place for it.
 */
export function createImageReader(take: (image: ImagePart) => void): Tool<{ file_path: string }> {
  return {
    ...(readTool as Tool<{ file_path: string }>),
    run: ({ file_path }, context) =>
      asResult(file_path, context.signal, () =>
        withPlace<ToolResult>(file_path, context, (held) => readHeld(held, take)),
      ),
  };
}

async function readHeld(held: Held, take: (image: ImagePart) => void): Promise<ToolResult> {
  const { shown } = held;
  const read = await readStart(held, mostBytes);
  if (!read.ok) return read;
  if (!read.isWhole)
    return failure("too_large", `${shown} is larger than 5 MB, which no model takes: make it smaller.`);
  const { bytes } = read;
  const mediaType = mediaTypeOf(bytes);
  // A provider refuses the whole conversation for it, now and whenever it is sent again.
  if (mediaType === undefined) {
    return failure("not_an_image", `${shown} is named like a picture and holds none: use png, jpeg, gif or webp.`);
  }
  take({ type: "image", mediaType, data: bytes.toString("base64") });
  const output = `[${mediaType}, ${formatBytes(bytes.length)}: shown to the model.]`;
  return { ok: true, output, data: { file_path: shown, media_type: mediaType, bytes: bytes.length } };
}

/** By its first bytes: names lie. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const begins = bytes.toString("latin1", 0, 12);
  if (begins.startsWith("\u0089PNG\r\n\u001a\n")) return "image/png";
  if (begins.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(begins)) return "image/gif";
  return /^RIFF[\s\S]{4}WEBP/.test(begins) ? "image/webp" : undefined;
}
