/** What a number or a name in one field of a cron may be. */
export interface CronRange {
  readonly first: number;
  readonly last: number;
  /** Beside numbers, from the first on. */
  readonly names?: readonly string[];
  /** How an interval is written whose steps this field counts. */
  readonly unit?: "s" | "m" | "h";
}

/** How to write what somebody has likely meant by a field that can't be read; empty where nobody can tell. */
export function hintAt(value: string, range: CronRange): string {
  for (const part of value.split(",")) {
    const hint = hints.map((find) => find(part, range)).find((found) => found !== undefined);
    if (hint !== undefined) return ` ${hint}`;
  }
  return "";
}

type FindHint = (part: string, range: CronRange) => string | undefined;

const hints: readonly FindHint[] = [
  function turnedRange(part, { first, last, names = [] }) {
    const [, from = "", to = ""] = /^(\w+)-(\w+)$/.exec(part) ?? [];
    const [begin, end] = [from, to].map((word) => (/^\d+$/.test(word) ? Number(word) : numberOf(word, first, names)));
    if (begin === undefined || end === undefined || begin <= end || begin > last || end < first) return undefined;
    const isNamed = !/^\d/.test(from) && !/^\d/.test(to);
    const [lowest, highest] = isNamed ? [names[0], names.at(-1)] : [first, last];
    const [upTo, onFrom] = [begin === last ? from : `${from}-${highest}`, end === first ? to : `${lowest}-${to}`];
    return `A range that goes past the end is two: ${upTo},${onFrom}.`;
  },
  function stepFromOneOn(part, { first, last }) {
    const [, from = "", step = ""] = /^(\d{1,2})\/(\d{1,2})$/.exec(part) ?? [];
    if (from === "" || Number(step) === 0 || Number(from) < first || Number(from) > last) return undefined;
    const all = Number(from) === first ? `*/${step}` : `${from}-${last}/${step}`;
    return `A step begins with a range: ${all}.`;
  },
  function stepPastTheEnd(part, { last, unit }) {
    const [, step = ""] = /^\*\/(\d{1,6})$/.exec(part) ?? [];
    if (unit === undefined || Number(step) <= last + 1) return undefined;
    return `A step counts within the field: write every "${step}${unit}" instead of a cron.`;
  },
  function wholeName(part, { names = [] }) {
    const short = part.slice(0, 3).toUpperCase();
    return part.length > 3 && /^[a-z]+$/i.test(part) && names.includes(short)
      ? `Names are short: ${short}.`
      : undefined;
  },
];

function numberOf(word: string, first: number, names: readonly string[]): number | undefined {
  const index = names.indexOf(word.toUpperCase());
  return index < 0 ? undefined : index + first;
}
