import { RuntimeError } from "../../core/errors.ts";

interface Field {
  readonly name: string;
  readonly form: string;
  readonly allowed: RegExp;
}

const digits = /^[\d*,/-]+$/;
const seconds: Field = { name: "second", form: "0-59", allowed: digits };
const five: readonly Field[] = [
  { name: "minute", form: "0-59", allowed: digits },
  { name: "hour", form: "0-23", allowed: digits },
  {
    name: "day of the month",
    form: "1-31, L for the last, 15W for the working day nearest to it",
    allowed: /^[\d*,/LW-]+$/i,
  },
  { name: "month", form: "1-12 or JAN-DEC", allowed: /^[\d*,/A-Z-]+$/i },
  {
    name: "day of the week",
    form: "0-7 or SUN-SAT (0 and 7 are Sunday), 5#2 for the second Friday, 5L for the last",
    allowed: /^[\d*,/#A-Z-]+$/i,
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
  const given = text.startsWith("@") ? readNickname(text) : text.split(/\s+/);
  if (text === "" || given.length < 5 || given.length > 6) throw wrongCount(cron, text === "" ? 0 : given.length);
  const fields = given.length === 6 ? [seconds, ...five] : five;
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

function describeWrong(cron: string, field: Field, value: string): string {
  const backwards = /^(\d+)-(\d+)$/.exec(value);
  const turned = backwards && Number(backwards[1]) > Number(backwards[2]);
  const [, last] = /^0-(\d+)/.exec(field.form) ?? [];
  const hint =
    turned && last !== undefined
      ? ` A range that goes past the end is two: ${backwards[1]}-${last},0-${backwards[2]}.`
      : "";
  const example =
    field.name === "day of the week" ? "1-5" : field.name.startsWith("day") || field.name === "month" ? "1,6" : "*/5";
  return `The ${field.name} field "${value}" of the cron "${cron}" is wrong: expected ${field.form}, a list (1,3), a range (1-5), a step (*/2, 1-5/2) or *; for example "${example}".${hint}`;
}
