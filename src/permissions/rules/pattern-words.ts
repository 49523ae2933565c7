/** One word of a rule. What stood in quotes means exactly itself. */
export interface PatternWord {
  readonly text: string;
  readonly isExact: boolean;
}

/** Words between spaces; single and double quotes hold spaces and keep `*` from meaning anything. Null: not closed. */
export function splitWords(text: string): PatternWord[] | null {
  const words: PatternWord[] = [];
  let current: PatternWord | undefined;
  let quote: string | undefined;
  for (const character of text) {
    const before = current?.text ?? "";
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else current = { text: before + character, isExact: true };
    } else if (character === "'" || character === '"') {
      quote = character;
      current = { text: before, isExact: true };
    } else if (/\s/.test(character)) {
      if (current) words.push(current);
      current = undefined;
    } else current = { text: before + character, isExact: current?.isExact ?? false };
  }
  if (quote !== undefined) return null;
  return current ? [...words, current] : words;
}

/** The other way round: a word that `splitWords` reads back as exactly this text. */
export function quoteWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return (
    text
      .split("'")
      .map((piece) => (piece === "" ? "" : `'${piece}'`))
      .join(`"'"`) || "''"
  );
}
