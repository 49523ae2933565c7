/** The same words but for case, punctuation and spaces. */
export function isSameLesson(a: string, b: string): boolean {
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
