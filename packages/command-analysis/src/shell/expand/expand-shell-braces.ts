const maxText = 2048;
const maxResults = 128;
const maxCharacters = 32 * 1024;

/** `a{b,c}` → `ab`, `ac`, as bash does it: on the text as written, before anything else. Null: too many to list. */
export function expandBraces(text: string): readonly string[] | null {
  if (text.length > maxText) return null;
  const budget = { results: 0, characters: 0, isSpent: false };
  const expanded = expand(text, budget, 0);
  return budget.isSpent ? null : expanded;
}

interface Budget {
  results: number;
  characters: number;
  isSpent: boolean;
}

function expand(text: string, budget: Budget, depth: number): string[] {
  if (depth > 16 || budget.isSpent) budget.isSpent = true;
  if (budget.isSpent) return [];
  const brace = findBrace(text);
  if (brace === null) return [text];
  const tails = expand(text.slice(brace.end + 1), budget, depth + 1);
  const results: string[] = [];
  for (const choice of brace.choices) {
    for (const middle of brace.isSequence ? [choice] : expand(choice, budget, depth + 1)) {
      for (const tail of tails) {
        const result = text.slice(0, brace.start) + middle + tail;
        budget.results += 1;
        budget.characters += result.length;
        if (budget.results > maxResults * 4 || results.length >= maxResults || budget.characters > maxCharacters * 4) {
          budget.isSpent = true;
          return [];
        }
        results.push(result);
      }
    }
  }
  return results;
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly string[];
  readonly isSequence: boolean;
}

/** The first `{…}` that has a comma of its own or is a sequence. */
function findBrace(text: string): Brace | null {
  for (let start = 0; start < text.length; start = skipUnit(text, start)) {
    if (text[start] !== "{") continue;
    const choices: string[] = [];
    let [level, from, end] = [0, start + 1, -1];
    for (let at = start + 1; at < text.length && end < 0; at = skipUnit(text, at)) {
      if (text[at] === "{") level += 1;
      else if (text[at] === "}") {
        if (level === 0) end = at;
        level -= 1;
      } else if (text[at] === "," && level === 0) {
        choices.push(text.slice(from, at));
        from = at + 1;
      }
    }
    if (end < 0) continue;
    if (choices.length > 0) return { start, end, choices: [...choices, text.slice(from, end)], isSequence: false };
    const sequence = listSequence(text.slice(start + 1, end));
    if (sequence !== null) return { start, end, choices: sequence, isSequence: true };
  }
  return null;
}

/** The position after one character, escape, quotation or expansion: braces and commas inside those do not count. */
function skipUnit(text: string, at: number): number {
  const character = text[at];
  if (character === "\\") return at + 2;
  if (character === "'") return skipTo(text, at + 1, "'");
  if (character === '"' || character === "`") return skipQuoted(text, at + 1, character);
  if (character !== "$") return at + 1;
  const next = text[at + 1];
  if (next === "'") return skipQuoted(text, at + 2, "'");
  if (next === "(") return skipBalanced(text, at + 2, ")");
  if (next === "{") return skipBalanced(text, at + 2, "}");
  return at + 1;
}

function skipTo(text: string, from: number, end: string): number {
  const found = text.indexOf(end, from);
  return found < 0 ? text.length : found + 1;
}

function skipQuoted(text: string, from: number, end: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === end) return at + 1;
  }
  return text.length;
}

function skipBalanced(text: string, from: number, close: ")" | "}"): number {
  const open = close === ")" ? "(" : "{";
  let level = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "'") at = skipTo(text, at + 1, "'") - 1;
    else if (character === '"') at = skipQuoted(text, at + 1, '"') - 1;
    else if (character === open) level += 1;
    else if (character === close) {
      if (level === 0) return at + 1;
      level -= 1;
    }
  }
  return text.length;
}

function listSequence(text: string): string[] | null {
  const numbers = /^(-?\d{1,15})\.\.(-?\d{1,15})(?:\.\.(-?\d{1,9}))?$/.exec(text);
  if (numbers) return listNumbers(numbers[1] ?? "", numbers[2] ?? "", Number(numbers[3] ?? 1));
  const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(text);
  if (!letters) return null;
  const [from, to] = [letters[1]?.charCodeAt(0) ?? 0, letters[2]?.charCodeAt(0) ?? 0];
  return count(from, to, Number(letters[3] ?? 1)).map((code) => String.fromCharCode(code));
}

function listNumbers(from: string, to: string, step: number): string[] {
  const isPadded = /^-?0\d/.test(from) || /^-?0\d/.test(to);
  const width = isPadded ? Math.max(from.length, to.length) : 0;
  return count(Number(from), Number(to), step).map((value) =>
    value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0"),
  );
}

/** One more than may be listed is enough to be too many. */
function count(from: number, to: number, step: number): number[] {
  const stride = Math.max(1, Math.abs(step)) * (to < from ? -1 : 1);
  const length = Math.min(Math.floor((to - from) / stride) + 1, maxResults + 1);
  return Array.from({ length }, (_, n) => from + n * stride);
}
