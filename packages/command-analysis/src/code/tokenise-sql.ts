export interface SqlToken {
  readonly kind: "word" | "number" | "string" | "symbol";
  /** Words in upper case; strings without their quotes. */
  readonly text: string;
}

/**
 * Statements as lists of tokens. Comments are gone, strings and quoted names are one token each, whatever they contain. Knows the
 * quoting of the usual dialects: `''`, `\'`, `$tag$…$tag$`, `"name"`, backticks, `[name]`, `--`, `#`, nested comments, and MySQL's
 * comments that are run.
 */
export function tokeniseSql(text: string): SqlToken[][] {
  const statements: SqlToken[][] = [];
  let current: SqlToken[] = [];
  let index = 0;
  while (index < text.length) {
    const character = text[index]!;
    if (/\s/.test(character)) index++;
    else if (text.startsWith("--", index) || character === "#") index = findEnd(text, "\n", index);
    // MySQL runs what stands in `/*! … */`.
    else if (text.startsWith("/*!", index)) index = skipDigits(text, index + 3);
    else if (text.startsWith("/*", index)) index = findEnd(text, "*/", index + 2);
    else if (text.startsWith("*/", index)) index += 2;
    else if (character === ";" || text.startsWith("\\g", index)) {
      if (current.length > 0) statements.push(current);
      current = [];
      index += character === ";" ? 1 : 2;
    } else {
      const { token, end } = readToken(text, index);
      current.push(token);
      index = end;
    }
  }
  if (current.length > 0) statements.push(current);
  return statements;
}

function readToken(text: string, index: number): { token: SqlToken; end: number } {
  const character = text[index]!;
  if (character === "'" || character === '"' || character === "`") return readQuoted(text, index);
  const dollar = character === "$" ? /^\$[A-Za-z_]*\$/.exec(text.slice(index, index + 66)) : null;
  if (dollar !== null) {
    const start = index + dollar[0].length;
    const close = text.indexOf(dollar[0], start);
    const end = close < 0 ? text.length : close;
    return {
      token: { kind: "string", text: text.slice(start, end) },
      end: Math.min(text.length, end + dollar[0].length),
    };
  }
  let end = index;
  while (end < text.length && /[A-Za-z0-9_$.@\u0080-\uffff]/.test(text[end]!)) end++;
  if (end > index) {
    const word = text.slice(index, end);
    return { token: { kind: /^[0-9.]/.test(word) ? "number" : "word", text: word.toUpperCase() }, end };
  }
  const wide = /^(?:<>|!=|<=|>=|\|\||::|==)/.exec(text.slice(index, index + 2));
  const symbol = wide?.[0] ?? character;
  return { token: { kind: "symbol", text: symbol }, end: index + symbol.length };
}

function readQuoted(text: string, index: number): { token: SqlToken; end: number } {
  const quote = text[index]!;
  let end = index + 1;
  while (end < text.length) {
    if (
      text[end] === "\\" &&
      quote === "'" &&
      end + 1 < text.length &&
      text[end + 1] === "'" &&
      text[end + 2] !== undefined
    )
      end += 2;
    else if (text[end] === quote && text[end + 1] === quote) end += 2;
    else if (text[end] === quote) break;
    else end++;
  }
  const content = text.slice(index + 1, end);
  const token: SqlToken = quote === "'" ? { kind: "string", text: content } : { kind: "word", text: `"${content}"` };
  return { token, end: Math.min(text.length, end + 1) };
}

function findEnd(text: string, marker: string, from: number): number {
  const end = text.indexOf(marker, from);
  return end < 0 ? text.length : end + marker.length;
}

function skipDigits(text: string, from: number): number {
  let end = from;
  while (end < text.length && text[end]! >= "0" && text[end]! <= "9") end++;
  return end;
}
