/** `unknown`: later text decides. `none`: no later text can make it so. `end` is behind all of it. */
export type Found<Value> = { readonly value: Value; readonly end: number } | "none" | "unknown";

/** Whatever is not closed within so many characters is text: nothing is kept back for longer. */
export const longestMark = 1000;

/** The end of what the emphasis mark at `at` opens; the value is where its content ends. */
export function findCloser(
  all: string,
  at: number,
  options: { readonly length: number; readonly isWhole: boolean },
): Found<number> {
  const { length } = options;
  const { text, isWhole } = openWindow(all, at, options.isWhole);
  const mark = text[at];
  const nested: number[] = [];
  let index = at + length;
  while (index < text.length) {
    const character = text[index];
    if (character === "\\") {
      index += 2;
    } else if (character === "`") {
      const code = findCodeEnd(text, index, isWhole);
      if (code === "unknown") return "unknown";
      index = code === "none" ? endOfRun(text, index) : code.end;
    } else if (character === mark) {
      const end = endOfRun(text, index);
      if (end === text.length && !isWhole) return "unknown";
      const run = end - index;
      const inner = nested.at(-1);
      if (canClose(text, index, end)) {
        if (nested.length === 0 && run === length && index > at + length) return { value: index, end };
        if (nested.length === 1 && inner !== undefined && run === inner + length) return { value: index + inner, end };
        if (run === inner) nested.pop();
        else if (isOpening(text, index, end)) nested.push(run);
      } else if (isOpening(text, index, end)) {
        nested.push(run);
      }
      index = end;
    } else {
      index++;
    }
  }
  return isWhole ? "none" : "unknown";
}

/** What a mark at `at` is judged by: the same text, however much has come behind it. */
export function openWindow(
  all: string,
  at: number,
  isWhole: boolean,
): { readonly text: string; readonly isWhole: boolean } {
  const end = at + longestMark;
  return all.length > end ? { text: all.slice(0, end), isWhole: true } : { text: all, isWhole };
}

/** The end of the code span whose backticks begin at `at`; the value is where its content ends. */
export function findCodeEnd(text: string, at: number, isWhole: boolean): Found<number> {
  const open = endOfRun(text, at);
  const length = open - at;
  const limit = at + longestMark;
  let index = open;
  for (;;) {
    const start = text.indexOf("`", index);
    if (start === -1 || start >= limit) return isWhole || text.length > limit ? "none" : "unknown";
    const end = endOfRun(text, start);
    if (end === text.length && !isWhole) return "unknown";
    if (end - start === length) return { value: start, end };
    index = end;
  }
}

function canClose(text: string, start: number, end: number): boolean {
  if (/\s/.test(text[start - 1] ?? " ")) return false;
  return text[start] !== "_" || !/[\p{Letter}\p{Number}]/u.test(text[end] ?? "");
}

function isOpening(text: string, start: number, end: number): boolean {
  return !/\s/.test(text[end] ?? " ") && !/[\p{Letter}\p{Number}]/u.test(text[start - 1] ?? "");
}

function endOfRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && text[end] === text[at]) end++;
  return end;
}
