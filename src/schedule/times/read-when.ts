import { RuntimeError } from "../../core/errors.ts";
import type { JobTimes } from "../../core/job.ts";
import { openTimes } from "./times.ts";
import { checkZone, openZone, type LocalTime } from "./zone.ts";

/** When, as a person writes it: exactly one of the first three. */
export interface WrittenWhen {
  /** `0 9 * * 1-5` */
  readonly cron?: string;
  /** `90s`, `15m`, `1h30m`, `1d` */
  readonly every?: string;
  /** `2026-11-20T09:00`, in the time zone, or with an offset of its own */
  readonly at?: string;
  readonly timeZone: string;
}

/** Throws JOB_INVALID with a sentence that says what to write instead. */
export async function readWhen(written: WrittenWhen, now: number): Promise<JobTimes> {
  const { cron, every, at, timeZone } = written;
  const given = (["cron", "every", "at"] as const).filter((key) => written[key] !== undefined);
  if (given.length !== 1) {
    throw new RuntimeError(
      "JOB_INVALID",
      `Expected one of cron ("0 9 * * 1-5"), every ("15m") or at ("2026-11-20T09:00")${given.length === 0 ? "" : `; got ${given.join(" and ")}`}.`,
    );
  }
  checkZone(timeZone);
  if (every !== undefined) return checkTimes({ everyMs: readDuration(every), anchorAt: now }, now);
  if (at !== undefined) {
    return checkTimes({ at: readInstant(at, timeZone).at, asked: { text: at.trim(), timeZone } }, now);
  }
  return checkTimes({ cron: cron!, timeZone }, now);
}

const shortestMs = 1000;
const longestMs = 366 * 86_400_000;

/** Throws JOB_INVALID for times that can't be kept or that are over. */
export async function checkTimes(when: JobTimes, now: number): Promise<JobTimes> {
  if ("everyMs" in when) {
    const { everyMs, anchorAt } = when;
    if (!(Number.isInteger(everyMs) && everyMs >= shortestMs && everyMs <= longestMs && Number.isInteger(anchorAt))) {
      throw new RuntimeError("JOB_INVALID", `Expected an interval from 1s to 366d, got ${writeDuration(everyMs)}.`);
    }
  }
  if ("at" in when && !(when.at > now)) {
    const told = Number.isFinite(when.at) ? new Date(when.at).toISOString() : String(when.at);
    throw new RuntimeError(
      "JOB_INVALID",
      `The time ${told} is over; it is ${new Date(now).toISOString()}. Give one to come.`,
    );
  }
  const times = await openTimes(when);
  if (!times.next(now)) throw new RuntimeError("JOB_INVALID", "These times are all over: give one to come.");
  return when;
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `90s`, `15m`, `1h30m`; a plain 0 is none. Throws JOB_INVALID, with the name of what it is read for. */
export function readDuration(text: string, name = "interval"): number {
  const written = text.trim().toLowerCase();
  if (written === "0") return 0;
  // Elsewhere that is a month, and a minute instead of one would be very often.
  const maybeMonth = /\dM/.exec(text);
  if (!/^(?:\d+[smhdw])+$/.test(written) || maybeMonth) {
    const hint = maybeMonth ? "; write m for minutes, as M may be months" : "";
    throw new RuntimeError(
      "JOB_INVALID",
      `"${text}" is no ${name}: expected a whole number with s, m, h, d or w, such as 90s, 15m or 1h30m${hint}.`,
    );
  }
  if (/\d{10}/.test(written)) throw new RuntimeError("JOB_INVALID", `"${text}" is too long: a year is 366d.`);
  return [...written.matchAll(/(\d+)([smhdw])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit!]!,
    0,
  );
}

/** As `readDuration` reads it: 0, 90s, 1h30m; what can't be written so, in milliseconds. */
export function writeDuration(durationMs: number): string {
  let left = durationMs;
  const written = ["d", "h", "m", "s"].map((unit) => {
    const count = Math.floor(left / units[unit]!);
    left -= count * units[unit]!;
    return count === 0 ? "" : `${count}${unit}`;
  });
  return left === 0 && durationMs >= 0 ? written.join("") || "0" : `${durationMs} ms`;
}

const instant = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

/** The one time that `at` means, and whether clocks show it once. Throws JOB_INVALID. */
export function readInstant(text: string, timeZone: string): LocalTime {
  const match = instant.exec(text.trim());
  if (!match) {
    throw new RuntimeError(
      "JOB_INVALID",
      `"${text}" is no time: expected a date and time such as 2026-11-20T09:00, with an offset (+01:00, Z) if it is not in ${timeZone}.`,
    );
  }
  const [year, month, day, hour, minute, second, fraction] = match.slice(1, 8).map((field) => Number(field ?? 0));
  const local = Date.UTC(year!, month! - 1, day, hour, minute, second, Math.trunc(fraction! * 1000));
  const offset = match[8];
  // A field that is too large is carried over into the next one.
  const isReal = new Date(local).toISOString().startsWith(`${match[1]}-${match[2]}-${match[3]}`);
  const isOffset = offset === undefined || /^(?:z|[+-](?:0\d|1[0-4]):?[0-5]\d)$/i.test(offset);
  if (!isReal || !isOffset || hour! > 23 || minute! > 59 || second! > 59) {
    throw new RuntimeError(
      "JOB_INVALID",
      `There is no ${text.trim()}: no calendar has that date or time. Give one that comes.`,
    );
  }
  const zone = openZone(timeZone);
  return offset === undefined ? zone.resolve(local) : { at: local - readOffset(offset), kind: "plain" };
}

function readOffset(text: string): number {
  if (text.toUpperCase() === "Z") return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(-2))];
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
