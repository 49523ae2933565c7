import { clipText } from "../../core/text.ts";

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
