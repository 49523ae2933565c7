import { RuntimeError } from "../../core/errors.ts";
import { hintAt, type CronRange } from "./cron-hint.ts";

interface Field {
  readonly name: string;
  readonly form: string;
  readonly example: string;
  readonly allowed: RegExp;
  readonly range: CronRange;
  /** "?" says that the other of the two days counts, as "*" does. */
  readonly isDay?: true;
}

const digits = /^[\d*,/-]+$/;
const sixty = { form: "0-59", example: "*/5", allowed: digits } as const;
const seconds: Field = { ...sixty, name: "second", range: { first: 0, last: 59, unit: "s" } };
const five: readonly Field[] = [
  { ...sixty, name: "minute", range: { first: 0, last: 59, unit: "m" } },
  { name: "hour", form: "0-23", example: "*/5", allowed: digits, range: { first: 0, last: 23, unit: "h" } },
  {
    name: "day of the month",
    form: "1-31, L for the last, 15W for the working day nearest to it",
    example: "1,6",
    allowed: /^[\d*,/LW-]+$/i,
    range: { first: 1, last: 31 },
    isDay: true,
  },
  {
    name: "month",
    form: "1-12 or JAN-DEC",
    example: "1,6",
    allowed: /^[\d*,/A-Z-]+$/i,
    range: { first: 1, last: 12, names: "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ") },
  },
  {
    name: "day of the week",
    form: "0-7 or SUN-SAT (0 and 7 are Sunday), 5#2 for the second Friday, 5L for the last",
    example: "1-5",
    allowed: /^[\d*,/#A-Z-]+$/i,
    range: { first: 0, last: 6, names: "SUN MON TUE WED THU FRI SAT".split(" ") },
    isDay: true,
  },
];

const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** The five or six fields of a cron text. Throws JOB_INVALID; `parse` throws for a pattern that it can't read. */
export function checkFields(cron: string, parse: (pattern: string) => void): string[] {
  const text = cron.trim();
  const written = text.startsWith("@") ? readNickname(text) : text.split(/\s+/);
  if (text === "" || written.length < 5 || written.length > 6) throw wrongCount(cron, text === "" ? 0 : written.length);
  const fields = written.length === 6 ? [seconds, ...five] : five;
  const given = written.map((value, index) => (value === "?" && fields[index]!.isDay ? "*" : value));
  for (const [index, field] of fields.entries()) {
    const value = given[index]!;
    if (field.allowed.test(value) && isReadable(given.map((_, at) => (at === index ? value : "*")).join(" "), parse))
      continue;
    throw new RuntimeError("JOB_INVALID", describeWrong(cron, field, value));
  }
  return given;
}

function isReadable(pattern: string, parse: (pattern: string) => void): boolean {
  try {
    parse(pattern);
    return true;
  } catch {
    return false;
  }
}

function readNickname(text: string): string[] {
  const pattern = nicknames[text.toLowerCase()];
  if (pattern !== undefined) return pattern.split(" ");
  throw new RuntimeError(
    "JOB_INVALID",
    `There is no cron "${text}": expected @hourly, @daily, @weekly, @monthly, @yearly, or five fields such as "0 9 * * 1-5".`,
  );
}

function wrongCount(cron: string, count: number): RuntimeError {
  const got = count === 1 ? "one" : String(count);
  return new RuntimeError(
    "JOB_INVALID",
    `The cron "${cron}" has ${got} field${count === 1 ? "" : "s"}: expected five, minute hour day-of-month month day-of-week, or six with the second first; "0 9 * * 1-5" is 9:00 from Monday to Friday.`,
  );
}

function describeWrong(cron: string, { name, form, example, range }: Field, value: string): string {
  const expected = `expected ${form}, a list (1,3), a range (1-5), a step (*/2, 1-5/2) or *; for example "${example}".`;
  return `The ${name} field "${value}" of the cron "${cron}" is wrong: ${expected}${hintAt(value, range)}`;
}
