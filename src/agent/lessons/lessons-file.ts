import { randomUUID } from "node:crypto";
import { appendFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { clipText } from "../../core/text.ts";

/** A Markdown file of the person's: each list item is a lesson, everything else in it is theirs and stays. */
export async function readLessons(file: string): Promise<string[]> {
  const lessons = (await readText(file)).split("\n").flatMap((line) => lessonIn(line) ?? []);
  return lessons.filter((lesson, at) => !lessons.slice(0, at).some((earlier) => isSameLesson(earlier, lesson)));
}

/** Adds those that are new and says which. Call it with what the person confirmed, and with nothing else. */
export async function saveLessons(file: string, lessons: readonly string[]): Promise<string[]> {
  const known = await readLessons(file);
  const added: string[] = [];
  for (const lesson of lessons.map(toLine)) {
    if (lesson !== "" && ![...known, ...added].some((other) => isSameLesson(other, lesson))) added.push(lesson);
  }
  if (added.length === 0) return [];
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const before = await readText(file);
  const start = before === "" ? heading : before.endsWith("\n") ? "" : "\n";
  // Appended in one write: another session that saves at the same time loses nothing.
  await appendFile(file, start + added.map((lesson) => `- ${lesson}\n`).join(""), { mode: 0o600 });
  return added;
}

/** Takes one out, by its words. False when it is not there. */
export async function removeLesson(file: string, lesson: string): Promise<boolean> {
  const lines = (await readText(file)).split("\n");
  const kept = lines.filter((line) => {
    const found = lessonIn(line);
    return found === undefined || !isSameLesson(found, lesson);
  });
  if (kept.length === lines.length) return false;
  const fresh = `${file}.${randomUUID()}`;
  try {
    await writeFile(fresh, kept.join("\n"), { mode: 0o600, flag: "wx" });
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
  return true;
}

const heading = `# Lessons

Every item of a list here is told to the agent at the start of a session in this workdir. Edit or remove them as you like.

`;

function lessonIn(line: string): string | undefined {
  const text = /^\s*[-*+]\s+(.*\S)/.exec(line)?.[1];
  return text === undefined ? undefined : toLine(text);
}

function toLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

async function readText(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).replaceAll("\r\n", "\n");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return "";
    throw thrown;
  }
}

/** What fits into the prompt; when there are too many the latest count. Secrets are masked once more: people edit the file. */
export function lessonsForPrompt(
  lessons: readonly string[],
  maskText: (text: string) => string,
  maxCharacters = 4000,
): string[] {
  const taken: string[] = [];
  let left = maxCharacters;
  for (const lesson of lessons.toReversed()) {
    const line = clipText(maskText(lesson), longestLesson);
    left -= line.length;
    if (left < 0) break;
    taken.unshift(line);
  }
  return taken;
}

const longestLesson = 500;

/** The same words but for case, punctuation and spaces. */
function isSameLesson(a: string, b: string): boolean {
  return wordsOf(a).join(" ") === wordsOf(b).join(" ");
}

/** The same words in another order, or but for one of many: nobody wants to be asked that again. */
export function isSimilarLesson(a: string, b: string): boolean {
  const first = new Set(wordsOf(a));
  const second = new Set(wordsOf(b));
  return first.intersection(second).size >= nearlyAll * Math.max(first.size, second.size);
}

const nearlyAll = 0.9;

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_./-]*[\p{L}\p{N}]/gu) ?? [];
}
