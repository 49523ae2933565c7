import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openTimes, type Times } from "../../src/schedule/times/times.ts";
import { count } from "../support/counts.ts";
import { changeDays, localMinutes, type LocalMinute } from "./support/local-minutes.ts";

const dayMs = 86_400_000;
const two = (value: number): string => String(value).padStart(2, "0");

function dueBetween(times: Times, after: number, until: number): number[] {
  const found: number[] = [];
  for (let due = times.next(after); due && due.at < until; due = times.next(due.at)) found.push(due.at);
  return found;
}

/** For each local date: the first minute that shows the time, else the first one that shows a later time of that date. */
function expectDaily(minutes: readonly LocalMinute[], time: string): number[] {
  const dates = [...new Set(minutes.map(({ shown }) => shown.slice(0, 10)))].slice(1, -1);
  return dates.map((date) => {
    const wanted = `${date} ${time}`;
    return (minutes.find(({ shown }) => shown === wanted) ?? minutes.find(({ shown }) => shown > wanted))!.at;
  });
}

/** A time of the day that clocks leave out, or show twice. */
function findOddTime(minutes: readonly LocalMinute[]): string {
  const shownAt = (index: number): number => Date.parse(`${minutes[index]!.shown}Z`);
  const at = minutes.findIndex((_, index) => index > 0 && shownAt(index) - shownAt(index - 1) !== 60_000);
  const first = Math.min(shownAt(at), shownAt(at - 1) + 60_000);
  return new Date(first + 17 * 60_000).toISOString().slice(11, 16);
}

const years = [2026, 2027];
const zones = Intl.supportedValuesOf("timeZone").map((name) => ({ name, days: changeDays(name, years) }));
const changing = zones.filter(({ days }) => days.length > 0);

test("a daily time comes once on each day that clocks are set, in every zone that there is [D1]", async () => {
  assert.ok(changing.length > 100, `only ${changing.length} zones set their clocks`);
  const most = count({ quick: 1, full: Infinity });
  for (const [index, { name, days }] of changing.entries()) {
    const turned = [...days.slice(index % days.length), ...days];
    for (const day of turned.slice(0, Math.min(most, days.length))) {
      const minutes = localMinutes(name, day - 2 * dayMs, 5);
      const odd = findOddTime(minutes);
      const [hour, minute] = odd.split(":").map(Number) as [number, number];
      const times = await openTimes({ cron: `${minute} ${hour} * * *`, timeZone: name });
      const expected = expectDaily(minutes, odd);
      const told = `${name} ${odd} ${new Date(day).toISOString()}`;
      assert.deepEqual(dueBetween(times, expected[0]! - 1, expected.at(-1)! + 1), expected, told);
    }
  }
});

test("any times of the day, in any zone, around any change [D1]", async () => {
  const days = changing.flatMap(({ name, days: each }) => each.map((day) => ({ name, day })));
  const hours = fc.uniqueArray(fc.nat(23), { minLength: 1, maxLength: 6 });
  const minutesOfHour = fc.uniqueArray(fc.nat(59), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...days), hours, minutesOfHour, async ({ name, day }, atHours, atMinutes) => {
      const minutes = localMinutes(name, day - 2 * dayMs, 5);
      const times = await openTimes({ cron: `${atMinutes.join()} ${atHours.join()} * * *`, timeZone: name });
      const each = atHours.flatMap((hour) =>
        atMinutes.map((minute) => expectDaily(minutes, `${two(hour)}:${two(minute)}`)),
      );
      const [from, until] = [Math.max(...each.map((all) => all[0]!)), Math.min(...each.map((all) => all.at(-1)!))];
      const expected = [...new Set(each.flat())].filter((at) => at >= from && at <= until).sort((a, b) => a - b);
      assert.deepEqual(dueBetween(times, from - 1, until + 1), expected);
    }),
    { numRuns: count({ quick: 60, full: 3000 }) },
  );
});

test("times of the hour follow one another through a change as on any other day [D1]", async () => {
  const days = changing.flatMap(({ name, days: each }) => each.map((day) => ({ name, day })));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...days),
      fc.constantFrom("*/15", "0", "7,52", "30"),
      async ({ name, day }, field) => {
        const from = day - dayMs;
        const wanted = { "*/15": ["00", "15", "30", "45"], "0": ["00"], "7,52": ["07", "52"], "30": ["30"] }[field];
        const expected = localMinutes(name, from, 3).filter(({ shown }) => wanted.includes(shown.slice(-2)));
        const times = await openTimes({ cron: `${field} * * * *`, timeZone: name });
        assert.deepEqual(
          dueBetween(times, from - 1, from + 3 * dayMs),
          expected.map(({ at }) => at),
        );
      },
    ),
    { numRuns: count({ quick: 30, full: 1500 }) },
  );
});

test("from whatever moment one asks, the next time is the same [D1]", async () => {
  const crons = ["*/20 1-3 * * *", "0 2 * * *", "59 1 * * *", "*/10 */2 * * *", "*/25 * * * *", "0 30 0,1,2,3 * * *"];
  const days = changing.flatMap(({ name, days: each }) => each.map((day) => ({ name, day })));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...days), fc.constantFrom(...crons), async ({ name, day }, cron) => {
      const times = await openTimes({ cron, timeZone: name });
      const all = dueBetween(times, day - dayMs, day + 3 * dayMs);
      // From one change of the day to the next but one, in steps that meet every kind of moment.
      for (let after = day - dayMs; after < day + 2 * dayMs; after += 15 * 60_000 * 7 - 1) {
        for (const moment of [after, Math.round(after / 900_000) * 900_000]) {
          assert.equal(
            times.next(moment)?.at,
            all.find((at) => at > moment),
          );
        }
      }
    }),
    { numRuns: count({ quick: 60, full: 3000 }) },
  );
});

test("what is odd about a day is told: clocks in Berlin, Lord Howe and at Troll station [D1]", async () => {
  const next = async (timeZone: string, cron: string, after: string): Promise<string> => {
    const due = (await openTimes({ cron, timeZone })).next(Date.parse(after))!;
    return `${new Date(due.at).toISOString()} ${due.local}`;
  };
  assert.equal(await next("Europe/Berlin", "30 2 * * *", "2026-03-28T12:00Z"), "2026-03-29T01:00:00.000Z skipped");
  assert.equal(await next("Europe/Berlin", "30 2 * * *", "2026-10-24T12:00Z"), "2026-10-25T00:30:00.000Z repeated");
  assert.equal(await next("Europe/Berlin", "30 2 * * *", "2026-10-25T00:30Z"), "2026-10-26T01:30:00.000Z plain");
  assert.equal(
    await next("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T10:00Z"),
    "2026-10-03T15:30:00.000Z skipped",
  );
  assert.equal(await next("Antarctica/Troll", "30 1,2 * * *", "2026-03-28T12:00Z"), "2026-03-29T01:00:00.000Z skipped");
});
