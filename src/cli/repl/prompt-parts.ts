import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { messageOf } from "../../core/errors.ts";
import type { ImagePart, UserPart } from "../../core/message.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";

export interface ReadPrompt {
  readonly parts: readonly UserPart[];
  /** What could not be attached, in sentences. */
  readonly problems: readonly string[];
}

const imageTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** What providers take at most. */
const mostImageBytes = 5 * 1024 * 1024;

/**
 * A prompt with the files it names: `@src/main.ts` brings its text along, `@screen.png` the picture. Files are read by the
 * read tool, by the person's order: the same rails, and a record.
 */
export async function readPrompt(
  text: string,
  { runtime, conversationId, acceptsImages }: PromptSource,
): Promise<ReadPrompt> {
  const parts: UserPart[] = [];
  const problems: string[] = [];
  const attached: string[] = [];
  for (const path of mentionsIn(text)) {
    if (extname(path).toLowerCase() in imageTypes) {
      const image = acceptsImages ? await readImage(path, runtime.workdir) : `${path}: this model takes no pictures`;
      if (typeof image === "string") problems.push(image);
      else parts.push(image);
      continue;
    }
    const { state, result, error } = await runtime.call("read", { file_path: path }, { door: "cli", conversationId });
    // A word with an @ need not be a file.
    if (state !== "completed") problems.push(`@${path} was not attached: ${error ?? "it can't be read"}`);
    else attached.push(`<file path=${JSON.stringify(path)}>\n${result?.output ?? ""}\n</file>`);
  }
  return { parts: [{ type: "text", text: [text, ...attached].join("\n\n") }, ...parts], problems };
}

export interface PromptSource {
  readonly runtime: Runtime;
  readonly conversationId: string;
  readonly acceptsImages: boolean;
}

/** Or why it can't be shown. */
export async function readImage(path: string, workdir: string): Promise<ImagePart | string> {
  const mediaType = imageTypes[extname(path).toLowerCase()];
  if (mediaType === undefined) return `${path} is no picture that models take: use png, jpeg, gif or webp`;
  try {
    const bytes = await readFile(resolve(workdir, path));
    if (bytes.length > mostImageBytes) return `${path} is larger than 5 MB, which no model takes: make it smaller`;
    return { type: "image", mediaType, data: bytes.toString("base64") };
  } catch (thrown) {
    return `${path} can't be read: ${messageOf(thrown)}`;
  }
}

/** `@path` at the start of a word, or `@"path with spaces"`. */
function mentionsIn(text: string): string[] {
  const found = [...text.matchAll(/(?<![\p{L}\p{N}_.])@(?:"([^"\n]+)"|([^\s"'`,;:()<>]*[^\s"'`,;:()<>.?!]))/gu)];
  return [...new Set(found.map(([, quoted, plain]) => quoted ?? plain!))].filter((path) => /[./]|^[\w-]+$/.test(path));
}
