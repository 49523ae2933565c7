import { withoutColours } from "./joined-text.ts";
import { cutAtOperators } from "./read-value.ts";
import { hashBits, type Scan, type SecretSpan, startsAt, type TriggerIndex } from "./trigger-index.ts";

const mask = (1 << hashBits) - 1;
const nothing: readonly SecretSpan[] = [];

/** What kind of text it is: in a command for the shell, a value without quotes ends at an operator. */
export type TextKind = "text" | "command";

/** All secrets of a text, in order, without overlap, also where colours cut them into pieces. Linear in the length of the text. */
export function findSecrets(text: string, index: TriggerIndex, kind: TextKind = "text"): readonly SecretSpan[] {
  const seen = withoutColours(text);
  const plain = findPlain(text, index, kind);
  if (!seen) return plain;
  const through = findPlain(seen.text, index, kind).flatMap(({ start, end, family, value }): SecretSpan[] => {
    const span = { start: seen.startOf(start), end: seen.endOf(end), family };
    // What is in one piece was found as it stands.
    const isWhole =
      span.end - span.start === end - start &&
      plain.some((other) => other.start <= span.start && other.end >= span.end);
    return isWhole ? [] : [{ ...span, value: value ?? seen.text.slice(start, end) }];
  });
  return through.length === 0 ? plain : outsideMarks(text, withoutOverlap([...plain, ...through]));
}

function findPlain(text: string, { table, buckets }: TriggerIndex, kind: TextKind): readonly SecretSpan[] {
  let found: SecretSpan[] | undefined;
  let scan: Scan | undefined;
  let hash = 0;
  for (let i = 0; i < text.length; i++) {
    hash = ((hash << 5) ^ text.charCodeAt(i)) & mask;
    const bucket = table[hash]!;
    if (bucket === 0) continue;
    for (const trigger of buckets[bucket]!) {
      if (!startsAt(text, i - 2, trigger)) continue;
      const spans = trigger.find(text, i - 2, (scan ??= startScan(kind)));
      if (spans === undefined) continue;
      for (const span of "start" in spans ? [spans] : spans) {
        (found ??= []).push(span);
        scan.ends.add(span.end);
      }
    }
  }
  if (found === undefined) return nothing;
  const spans = outsideMarks(text, withoutOverlap(found));
  return kind === "command" ? cutAtOperators(text, spans) : spans;
}

function startScan(kind: TextKind): Scan {
  return {
    isCommand: kind === "command",
    readTo: new Map(),
    ends: new Set(),
    plain: { start: 0, end: 0, isOver: true },
    tried: { count: 0, end: 0 },
  };
}

/** What is masked already is not masked again, whatever stands around it. */
function outsideMarks(text: string, spans: readonly SecretSpan[]): readonly SecretSpan[] {
  if (!text.includes("[MASKED:")) return spans;
  const marks = [...text.matchAll(/\[MASKED:[a-z0-9.-]{1,40}:[0-9a-f]{6}\]/g)];
  let next = 0;
  return spans.filter(({ start, end }) => {
    while (next < marks.length && marks[next]!.index + marks[next]![0].length <= start) next += 1;
    return next === marks.length || marks[next]!.index >= end;
  });
}

/** Two that overlap become one, so that no rule can uncover what another one found. */
function withoutOverlap(found: SecretSpan[]): SecretSpan[] {
  const sorted = found.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: SecretSpan[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { start: last.start, end: span.end, family: last.family };
    else if (span.start === last.start && span.end === last.end) merged[merged.length - 1] = moreTelling(last, span);
  }
  return merged;
}

/** The same part by two rules: a vendor says more than the name of a key. */
function moreTelling(a: SecretSpan, b: SecretSpan): SecretSpan {
  const rank = ({ family, value }: SecretSpan): number => (value !== undefined ? 3 : keyFamilies.has(family) ? 1 : 2);
  return rank(b) > rank(a) ? b : a;
}

const keyFamilies: ReadonlySet<string> = new Set(["password", "token", "key", "secret", "credential", "header"]);
