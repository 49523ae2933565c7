const maxPattern = 64;
const maxText = 256;

/** Whether a shell pattern (`*`, `?`, `[a-z]`) matches the whole text. Null: too long or too special to say. */
function matchesPattern(text: string, pattern: string): boolean | null {
  if (text.length > maxText || pattern.length > maxPattern || /[@!+?*]\(|\[\[?[:.=]/.test(pattern)) return null;
  return match(text, readPattern(pattern));
}

type Unit = { readonly kind: "any" | "one" } | { readonly kind: "set"; readonly has: (character: string) => boolean };

/** Two pointers and one place to return to: never more than text × pattern steps. */
function match(text: string, units: readonly Unit[]): boolean {
  let [at, unit, star, mark] = [0, 0, -1, 0];
  while (at < text.length) {
    const current = units[unit];
    if (current?.kind === "any") {
      star = unit;
      mark = at;
      unit += 1;
    } else if (current && (current.kind === "one" || (current.kind === "set" && current.has(text[at] ?? "")))) {
      at += 1;
      unit += 1;
    } else if (star >= 0) {
      mark += 1;
      at = mark;
      unit = star + 1;
    } else return false;
  }
  while (units[unit]?.kind === "any") unit += 1;
  return unit === units.length;
}

function readPattern(pattern: string): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? "";
    const close = pattern.indexOf("]", at + 2);
    if (character === "*") units.push({ kind: "any" });
    else if (character === "?") units.push({ kind: "one" });
    else if (character === "[" && close > 0) {
      units.push(readSet(pattern.slice(at + 1, close)));
      at = close;
    } else {
      const value = character === "\\" ? (pattern[(at += 1)] ?? "\\") : character;
      units.push({ kind: "set", has: (other) => other === value });
    }
  }
  return units;
}

function readSet(text: string): Unit {
  const isNegated = /^[!^]/.test(text);
  const body = isNegated ? text.slice(1) : text;
  const ranges: [string, string][] = [];
  for (let at = 0; at < body.length; at += 1) {
    const from = body[at] ?? "";
    const isRange = body[at + 1] === "-" && at + 2 < body.length;
    ranges.push([from, isRange ? (body[at + 2] ?? from) : from]);
    if (isRange) at += 2;
  }
  return { kind: "set", has: (one) => ranges.some(([from, to]) => one >= from && one <= to) !== isNegated };
}

/** `${text#pattern}` and its three relatives. Null: not known. */
export function removePattern(text: string, pattern: string, operator: "#" | "##" | "%" | "%%"): string | null {
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  if (text.length > maxText) return null;
  for (const length of lengths) {
    const isFront = operator.startsWith("#");
    const part = isFront ? text.slice(0, length) : text.slice(text.length - length);
    const answer = matchesPattern(part, pattern);
    if (answer === null) return null;
    if (answer) return isFront ? text.slice(length) : text.slice(0, text.length - length);
  }
  return text;
}

interface Replacement {
  readonly pattern: string;
  readonly by: string;
  readonly operator: "/" | "//" | "/#" | "/%";
}

/** `${text/pattern/by}`. Null: not known. */
export function replacePattern(text: string, replacement: Replacement): string | null {
  const { pattern, by, operator } = replacement;
  if (text.length > maxText / 4 || by.includes("&") || by.includes("\\")) return null;
  if (pattern === "") return operator === "/#" ? by + text : operator === "/%" ? text + by : text;
  let result = "";
  for (let at = 0; at <= text.length; at += 1) {
    const found = longestMatch(text, at, replacement);
    if (found === null) return null;
    const mayStand = operator !== "/#" || at === 0;
    if (found > 0 && mayStand) {
      result += by;
      at += found - 1;
      if (operator !== "//") return result + text.slice(at + 1);
    } else result += text[at] ?? "";
  }
  return result;
}

function longestMatch(text: string, at: number, { pattern, operator }: Replacement): number | null {
  const mustEnd = operator === "/%";
  for (let end = text.length; end > (mustEnd ? text.length - 1 : at); end -= 1) {
    const answer = end > at ? matchesPattern(text.slice(at, end), pattern) : false;
    if (answer === null) return null;
    if (answer) return end - at;
  }
  return 0;
}
