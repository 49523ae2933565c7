import { isUtf8 } from "node:buffer";
import { mkdir, open, rm, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { MaskStream } from "../core/mask.ts";
import type { KeepOutput } from "../tools/shell/command-result.ts";
import type { KeepText } from "../core/tool.ts";

/** What takes the secrets out on the way. */
interface StreamMask {
  /** `midway`: what came before may have ended inside a key. */
  stream(begins?: "midway"): MaskStream;
}

/** Small enough that what is left of a piece is collected soon: 50 MB of output must not cost 15 MB of memory. */
const chunkBytes = 32 * 1024;

/**
 * Keeps whole outputs in a private folder of the workdir, where the model and the person can read them. The copy is masked;
 * if that can't be done there is none. Bytes that are no text stay as they are.
 */
export function createKeepOutput(outputs: string, mask: StreamMask): KeepOutput {
  return async (rawPath, fileName) => {
    await mkdir(outputs, { recursive: true, mode: 0o700 });
    const kept = join(outputs, fileName);
    await using raw = await open(rawPath, "r");
    try {
      await using copy = await open(kept, "w", 0o600);
      await copy.chmod(0o600);
      await copyMasked(raw, copy, mask);
      return kept;
    } catch (thrown) {
      await rm(kept, { force: true });
      throw thrown;
    }
  };
}

/** The same for a text that is there already. */
export function createKeepText(outputs: string, mask: { text(text: string): string }): KeepText {
  return async (text, fileName) => {
    await mkdir(outputs, { recursive: true, mode: 0o700 });
    const kept = join(outputs, fileName);
    await writeFile(kept, mask.text(text), { mode: 0o600 });
    return kept;
  };
}

async function copyMasked(raw: FileHandle, copy: FileHandle, mask: StreamMask): Promise<void> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let encoding: "utf8" | "latin1" = "utf8";
  let stream = mask.stream();
  let held = 0;

  async function pass(bytes: Buffer): Promise<void> {
    const wanted = isUtf8(bytes) ? "utf8" : "latin1";
    if (wanted !== encoding) {
      await write(stream.end());
      stream = mask.stream("midway");
      encoding = wanted;
    }
    await write(stream.push(bytes.toString(encoding)));
  }

  async function write(text: string): Promise<void> {
    if (text !== "") await copy.writeFile(Buffer.from(text, encoding));
  }

  for (;;) {
    const { bytesRead } = await raw.read(buffer, held, chunkBytes - held, null);
    const filled = held + bytesRead;
    if (bytesRead === 0) {
      if (held > 0) await pass(buffer.subarray(0, held));
      break;
    }
    const cut = cutOf(buffer.subarray(0, filled));
    if (cut > 0) await pass(buffer.subarray(0, cut));
    buffer.copyWithin(0, cut, filled);
    held = filled - cut;
  }
  await write(stream.end());
}

/** Behind the last whole line. One that fills the buffer is cut before a character that may not be whole. */
function cutOf(bytes: Buffer): number {
  const lineEnd = bytes.lastIndexOf(0x0a) + 1;
  if (lineEnd > 0 || bytes.length < chunkBytes) return lineEnd;
  let cut = bytes.length;
  while (cut > bytes.length - 4 && (bytes[cut - 1]! & 0xc0) === 0x80) cut -= 1;
  return bytes[cut - 1]! >= 0xc0 ? cut - 1 : bytes.length;
}
