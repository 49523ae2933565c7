import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { UserPart } from "../../core/message.ts";
import { fence } from "../../core/text.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import { isImageName } from "./image-name.ts";

export interface ReadPrompt {
  readonly parts: readonly UserPart[];
  /** What was not attached, in sentences; the words are sent all the same. */
  readonly problems: readonly string[];
}

export interface PromptSource {
  readonly runtime: Runtime;
  readonly conversationId: string;
  readonly acceptsImages: boolean;
  readonly signal: AbortSignal;
  /** The person's own words, where files are named; left out: all of the text is. */
  readonly words?: string;
}

/**
 * A prompt with the files it names: `@src/main.ts` brings its text along, `@src` what is in the folder, `@screen.png` the
 * picture. All of it is read by the tools, by the person's order: the same rails, and a record.
 */
export async function readPrompt(text: string, source: PromptSource): Promise<ReadPrompt> {
  const images: UserPart[] = [];
  const problems: string[] = [];
  const attached: string[] = [];
  for (const mention of mentionsIn(source.words ?? text)) {
    const found = await attach(mention, source);
    if (typeof found === "string") attached.push(found);
    else if ("problem" in found) problems.push(found.problem);
    else images.push(found);
  }
  return {
    parts: [{ type: "text", text: [text, ...attached].join("\n\n") }, ...images],
    problems: problems.filter(Boolean),
  };
}

interface Mention {
  readonly path: string;
  /** It can hardly be anything else than a path. */
  readonly isCertain: boolean;
}

/** The text that follows the prompt, a picture, or what is wrong; nothing is wrong with an `@word` that means no file. */
async function attach(
  { path, isCertain }: Mention,
  { runtime, conversationId, acceptsImages, signal }: PromptSource,
): Promise<string | Extract<UserPart, { type: "image" }> | { readonly problem: string }> {
  const options = { door: "cli" as const, conversationId, signal };
  const stats = await stat(resolve(runtime.workdir, path)).catch(() => null);
  if (stats === null) return { problem: isCertain ? `@${path} is not here; your words are sent without it.` : "" };
  if (isImageName(path) && stats.isFile()) {
    if (!acceptsImages) return { problem: `@${path} was not attached: this model takes no pictures.` };
    const image = await runtime.readImage(path, options);
    return typeof image === "string" ? { problem: `@${path} was not attached: ${image}` } : image;
  }
  const { state, result, error } = stats.isDirectory()
    ? await runtime.call("list_files", { path }, options)
    : await runtime.call("read", { file_path: path }, options);
  if (state !== "completed") return { problem: `@${path} was not attached: ${error ?? "it can't be read"}` };
  const kind = stats.isDirectory() ? "folder" : "file";
  return fence(kind, result?.output ?? "", { path });
}

/** `@path` at the start of a word, or `@"path with spaces"`; each path once. */
function mentionsIn(text: string): Mention[] {
  const mentions = new Map<string, Mention>();
  for (const [, quoted, plain] of text.matchAll(mentionPattern)) {
    const path = quoted ?? plain!;
    mentions.set(path, { path, isCertain: quoted !== undefined || /[./]/.test(path) });
  }
  return [...mentions.values()];
}

const mentionPattern = /(?<![\p{L}\p{N}_.])@(?:"([^"\n]+)"|([^\s"'`,;:()<>]*[^\s"'`,;:()<>.?!]))/gu;
