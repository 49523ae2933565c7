import type { SqlToken } from "./tokenise-sql.ts";

type Truth = "true" | "false" | "depends";

/**
 * Whether a WHERE selects every row: `1=1`, `TRUE`, `'a'='a'`, `id = id`, `x > 0 OR 1=1`. A condition that is true for every row only
 * because of what the rows contain (`id > 0`, `id IS NOT NULL`, `name LIKE '%'`) counts as one too.
 */
export function isConstantCondition(tokens: readonly SqlToken[]): boolean {
  return tokens.length === 0 || evaluate(tokens, 0) === "true";
}

const deepest = 32;

function evaluate(tokens: readonly SqlToken[], depth: number): Truth {
  if (depth > deepest) return "true";
  const either = splitAt(tokens, (text) => text === "OR" || text === "||");
  if (either.length > 1) {
    const parts = either.map((part) => evaluate(part, depth + 1));
    if (parts.includes("true") || coversAll(either)) return "true";
    return parts.every((part) => part === "false") ? "false" : "depends";
  }
  const both = splitAt(tokens, (text) => text === "AND" || text === "&&");
  if (both.length > 1) {
    const parts = both.map((part) => evaluate(part, depth + 1));
    if (parts.includes("false")) return "false";
    return parts.every((part) => part === "true") ? "true" : "depends";
  }
  if (tokens[0]?.text === "NOT" && tokens[0].kind === "word") return invert(evaluate(tokens.slice(1), depth + 1));
  if (isEnclosed(tokens)) return evaluate(tokens.slice(1, -1), depth + 1);
  return evaluateSimple(tokens);
}

function evaluateSimple(tokens: readonly SqlToken[]): Truth {
  const texts = tokens.map(({ text }) => text);
  if (tokens.length === 1) return evaluateValue(tokens[0]!);
  const operator = tokens.findIndex(({ kind, text }) => kind === "symbol" && /^(?:=|==|<>|!=|<|>|<=|>=)$/.test(text));
  if (operator > 0) return compare(tokens.slice(0, operator), tokens.slice(operator + 1), texts[operator]!);
  const is = texts.indexOf("IS");
  if (is > 0) {
    const isNegative = texts[is + 1] === "NOT";
    const last = texts.at(-1)!;
    if (is === 1 && tokens[0]!.kind === "word" && !/^(?:NULL|TRUE|FALSE)$/.test(texts[0]!))
      return isNegative && last === "NULL" ? "true" : "depends";
    const isSame = texts[0] === last;
    return isSame === isNegative ? "false" : "true";
  }
  const like = texts.findIndex((text) => text === "LIKE" || text === "ILIKE");
  if (like > 0)
    return tokens[like + 1]?.kind === "string" && /^%+$/.test(texts[like + 1]!) && texts[like - 1] !== "NOT"
      ? "true"
      : "depends";
  const within = texts.indexOf("IN");
  if (within > 0 && tokens[0]!.kind !== "word") return texts.slice(within + 1).includes(texts[0]!) ? "true" : "depends";
  const between = texts.indexOf("BETWEEN");
  if (between > 0 && tokens[0]!.kind === "number") return "true";
  if (texts[0] === "EXISTS" && !texts.includes("WHERE")) return "true";
  return "depends";
}

function evaluateValue({ kind, text }: SqlToken): Truth {
  if (kind === "number") return Number(text) === 0 ? "false" : "true";
  if (kind === "string") return /^\s*0*\s*$/.test(text) ? "false" : "true";
  if (text === "TRUE") return "true";
  return text === "FALSE" || text === "NULL" ? "false" : "depends";
}

function compare(left: readonly SqlToken[], right: readonly SqlToken[], operator: string): Truth {
  const a = left.map(({ kind, text }) => `${kind}:${text}`).join(" ");
  const b = right.map(({ kind, text }) => `${kind}:${text}`).join(" ");
  const isSame = a === b;
  if (isConstant(left) && isConstant(right)) return compareConstants(left, right, operator);
  if (isSame) return /^(?:=|==|<=|>=)$/.test(operator) ? "true" : "false";
  const limit = right.length === 1 && right[0]!.kind === "number" ? Number(right[0]!.text) : undefined;
  const negative = right.length === 2 && right[0]!.text === "-" && right[1]!.kind === "number";
  // Keys are counted from one: `id > 0` and `id != -1` leave nothing out.
  if (/(?:^|\.|")ID"?$/.test(left[0]?.text ?? "") && left.length === 1) {
    if (negative) return /^(?:>|>=|<>|!=)$/.test(operator) ? "true" : "depends";
    if (
      limit !== undefined &&
      ((operator === ">" && limit <= 0) ||
        (operator === ">=" && limit <= 1) ||
        (/^(?:<>|!=)$/.test(operator) && limit <= 0))
    )
      return "true";
  }
  return "depends";
}

function compareConstants(left: readonly SqlToken[], right: readonly SqlToken[], operator: string): Truth {
  // Arithmetic on constants is not worth computing: a condition without a column is no real one.
  if (left.length !== 1 || right.length !== 1) return "true";
  const [a, b] = [left[0]!.text, right[0]!.text];
  const [x, y] = [Number(a), Number(b)];
  const order = Number.isNaN(x) || Number.isNaN(y) ? (a < b ? -1 : a > b ? 1 : 0) : x - y;
  const holds = {
    "=": order === 0,
    "==": order === 0,
    "<>": order !== 0,
    "!=": order !== 0,
    "<": order < 0,
    ">": order > 0,
    "<=": order <= 0,
    ">=": order >= 0,
  }[operator];
  return holds === true ? "true" : "false";
}

function isConstant(tokens: readonly SqlToken[]): boolean {
  // A function of constants is one too.
  return tokens.every(
    ({ kind, text }, index) => kind !== "word" || /^(?:TRUE|FALSE|NULL)$/.test(text) || tokens[index + 1]?.text === "(",
  );
}

/** `x IS NULL OR x IS NOT NULL`, `a = 1 OR a <> 1`. */
function coversAll(parts: readonly (readonly SqlToken[])[]): boolean {
  const shapes = parts.map((part) => part.map(({ text }) => text).join(" "));
  return shapes.some((shape) => {
    const opposite = shape.includes(" IS NOT NULL")
      ? shape.replace(" IS NOT NULL", " IS NULL")
      : shape.includes(" <> ")
        ? shape.replace(" <> ", " = ")
        : shape.replace(" != ", " = ");
    return opposite !== shape && shapes.includes(opposite);
  });
}

function splitAt(tokens: readonly SqlToken[], isSeparator: (text: string) => boolean): SqlToken[][] {
  const parts: SqlToken[][] = [[]];
  let depth = 0;
  let isBetween = false;
  for (const token of tokens) {
    if (token.kind === "symbol" && token.text === "(") depth++;
    if (token.kind === "symbol" && token.text === ")") depth--;
    const separates = depth === 0 && token.kind !== "string" && isSeparator(token.text);
    if (separates && isBetween && token.text === "AND") isBetween = false;
    else if (separates) {
      parts.push([]);
      continue;
    }
    if (token.text === "BETWEEN") isBetween = true;
    parts.at(-1)!.push(token);
  }
  return parts;
}

function isEnclosed(tokens: readonly SqlToken[]): boolean {
  if (tokens[0]?.text !== "(" || tokens.at(-1)?.text !== ")" || tokens.length < 3) return false;
  let depth = 0;
  for (let index = 0; index < tokens.length; index++) {
    if (tokens[index]!.text === "(") depth++;
    if (tokens[index]!.text === ")" && --depth === 0) return index === tokens.length - 1;
  }
  return false;
}

function invert(truth: Truth): Truth {
  if (truth === "depends") return truth;
  return truth === "true" ? "false" : "true";
}
