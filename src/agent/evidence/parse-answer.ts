import { isStatement, opensAdvice } from "./stance.ts";

export interface CodeSpan {
  readonly text: string;
  /** Where it begins and ends in `Statement.masked`. */
  readonly start: number;
  readonly end: number;
}

/** One sentence that says that something was done or is so. */
export interface Statement {
  readonly text: string;
  /** The same, each character of code in it made a `\u0001`: words in code are not the answer's own. */
  readonly masked: string;
  readonly spans: readonly CodeSpan[];
}

export interface Fence {
  /** Lower case; empty when it names none. */
  readonly language: string;
  readonly text: string;
  /** The sentence right before it; null when there is none. */
  readonly lead: string | null;
  /** What it shows is said to be so, not proposed. */
  readonly isStated: boolean;
}

export interface ParsedAnswer {
  readonly statements: readonly Statement[];
  readonly fences: readonly Fence[];
}

const longestLine = 5000;

/** Takes an answer apart into what it says was done or is so. Questions, advice and plans are left out. */
export function parseAnswer(answer: string): ParsedAnswer {
  const statements: Statement[] = [];
  const fences: Fence[] = [];
  let isAdviceSection = false;
  let isAdviceList = false;
  let lead: string | null = null;
  const lines = answer.replaceAll("\r\n", "\n").split("\n");
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    const opening = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(line);
    if (opening) {
      const body: string[] = [];
      while (++index < lines.length && !lines[index]!.trimStart().startsWith(opening[1]!)) body.push(lines[index]!);
      const isStated = !isAdviceSection && !isAdviceList && (lead === null || !opensAdvice(lead));
      fences.push({ language: opening[2]!.toLowerCase(), text: body.join("\n"), lead, isStated });
      lead = null;
      continue;
    }
    const heading = /^\s{0,3}#{1,6}\s+(.*)$/.exec(line) ?? /^\s*\*\*([^*]+)\*\*:?\s*$/.exec(line);
    if (heading) {
      isAdviceSection = opensAdvice(heading[1]!) && !/^\s*(?:summary|what (?:I|was)|changes?)/i.test(heading[1]!);
      isAdviceList = false;
      lead = heading[1]!;
      continue;
    }
    // Longer lines are data, and searching them would take its time.
    if (line.trim() === "" || line.length > longestLine) continue;
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line);
    if (!item) isAdviceList = false;
    const text = (item?.[1] ?? line.replace(/^[\s>|]+/, "")).replace(/^\[x\]\s+/i, "");
    const isOpen = text.startsWith("[ ]");
    const sentences = splitSentences(text);
    for (const sentence of sentences) {
      if (!isAdviceSection && !isAdviceList && !isOpen && isStatement(sentence.masked)) statements.push(sentence);
    }
    lead = sentences.at(-1)?.masked.replaceAll("\u0001", "") ?? null;
    if (!item && /[:：]\s*$/.test(text)) isAdviceList = opensAdvice(lead ?? "");
  }
  return { statements, fences };
}

function splitSentences(text: string): Statement[] {
  const spans = [...text.matchAll(/(`+)(.+?)\1(?!`)/g)].map((found) => ({
    text: found[2]!.trim(),
    start: found.index,
    end: found.index + found[0].length,
  }));
  let masked = text;
  for (const { start, end } of spans) {
    masked = masked.slice(0, start) + "\u0001".repeat(end - start) + masked.slice(end);
  }
  const pieces: Statement[] = [];
  let from = 0;
  const ends = [
    ...masked.matchAll(
      /(?<=[.!?。])["'”’)]*\s+|;\s+|,?\s+(?=(?:but|although|however|whereas)\b)|:\s+(?=[^.]*(?:\bnot\b|n't\b|\bnever\b|\bno\b))/g,
    ),
  ];
  for (const end of [...ends.map(({ index, 0: gap }) => [index, index + gap.length]), [text.length, text.length]]) {
    const [to = 0, next = 0] = end;
    const inside = spans.filter(({ start }) => start >= from && start < to);
    if (to > from) {
      pieces.push({
        text: text.slice(from, to),
        masked: masked.slice(from, to),
        spans: inside.map((span) => ({ text: span.text, start: span.start - from, end: span.end - from })),
      });
    }
    from = next;
  }
  return pieces;
}
