import type { ReadValue } from "./read-value.ts";
import type { SecretSpan } from "./secret-span.ts";

const operators = ";&|<>()`";

/**
 * Ends what begins outside quotes at the first operator of the shell: behind one is another command, and who approves must
 * see it. Where lines disagree about what is quoted, because of a comment or a here-document, nothing counts as quoted.
 */
export function cutAtOperators(text: string, spans: readonly SecretSpan[]): readonly SecretSpan[] {
  if (!spans.some(({ start, end }) => /[;&|<>()`]/.test(text.slice(start, end)))) return spans;
  const places = [...new Set([...findOperators(text, "text"), ...findOperators(text, "line")])].sort((a, b) => a - b);
  let next = 0;
  return spans.flatMap((span) => {
    while (next < places.length && places[next]! < span.start) next += 1;
    if (span.value !== undefined || span.family === "private-key") return [span];
    const end = Math.min(span.end, places[next] ?? span.end);
    return end === span.start ? [] : [{ ...span, end }];
  });
}

/** The same in any text, where such a sign may as well be a part of a password: only when a command follows it. */
export function endBeforeCommand(text: string, value: ReadValue): ReadValue {
  if (value.isQuoted) return value;
  for (let at = value.start + 1; at < value.end; at++) {
    if (!operators.includes(text[at]!) || text[at - 1] === "\\") continue;
    if (beforeCommand.test(text.slice(at, at + 80))) return { ...value, end: at };
  }
  return value;
}

const beforeCommand =
  /^(?!&(?:amp|lt|gt|quot|#\d{1,5});)(?:[;&|]{1,2}|[<>]{1,3}&?|[()`]{1,2})[ \t]*(?:[./~$]|[a-z_][a-z_.-]{0,40}\d{0,2}(?:$|[\s;&|<>()"'`\\]))/;

/** Where operators stand outside quotes; quotes reach over the whole text, or not beyond a line. */
function findOperators(text: string, reach: "text" | "line"): number[] {
  const places: number[] = [];
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === "\n" && reach === "line") quote = "";
    else if (quote !== "") {
      if (sign === "\\" && quote === '"') at += 1;
      else if (sign === quote) quote = "";
    } else if (sign === "\\") at += 1;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (operators.includes(sign)) places.push(at);
  }
  return places;
}
