import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { basename, dirname, extname } from "node:path";
import { codeOf, messageOf } from "../../core/errors.ts";

export type ReadNotes =
  | { readonly state: "read"; readonly text: string }
  | { readonly state: "missing" }
  /** `why`: the rest of a sentence that begins with the file's name. */
  | { readonly state: "refused"; readonly why: string };

export interface ReadNotesOptions {
  /** The person's own file may be a link to anywhere; one that came with a project may not. */
  readonly followLinks: boolean;
  /** Whose file it must be, or root's. */
  readonly owner?: number;
}

const maxBytes = 256 * 1024;

/** Reads a text file that goes into the prompt. A project's link must not bring in what lies elsewhere. */
export async function readNotesFile(path: string, options: ReadNotesOptions): Promise<ReadNotes> {
  try {
    const real = await realpath(path);
    if (!options.followLinks && isForeign(path, real)) {
      return { state: "refused", why: "it is a link to something else than a text beside it" };
    }
    return await readText(real, options.owner);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return { state: "missing" };
    return { state: "refused", why: `it can't be read (${code ?? messageOf(thrown)})` };
  }
}

function isForeign(path: string, real: string): boolean {
  if (real === path) return false;
  return dirname(real) !== dirname(path) || (basename(real) !== basename(path) && extname(real) !== ".md");
}

async function readText(real: string, owner: number | undefined): Promise<ReadNotes> {
  // A pipe without a writer would wait forever.
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { state: "refused", why: "it is no file" };
    if (owner !== undefined && stats.uid !== owner && stats.uid !== 0) {
      return { state: "refused", why: "it belongs to another user than the workdir" };
    }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(stats.size, maxBytes)), 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) return { state: "refused", why: "it is binary" };
    return { state: "read", text: decode(bytes, stats.size > maxBytes) };
  } catch (thrown) {
    if (codeOf(thrown) === "ERR_ENCODING_INVALID_ENCODED_DATA")
      return { state: "refused", why: "it is not UTF-8 text" };
    throw thrown;
  } finally {
    await file.close();
  }
}

/** The last character of a file that is not read whole may be cut in two. */
function decode(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
}
