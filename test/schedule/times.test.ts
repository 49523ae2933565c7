import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { collectDue } from "../../src/schedule/jobs/plan-job.ts";
import { previewTimes } from "../../src/schedule/times/preview-times.ts";
import { readWhen } from "../../src/schedule/times/read-when.ts";
import { openTimes } from "../../src/schedule/times/times.ts";
import { count } from "../support/counts.ts";

const now = Date.parse("2026-11-16T12:00:00Z");

async function nextTimes(cron: string, many: number): Promise<string[]> {
  const times = await openTimes({ cron, timeZone: "UTC" });
  const found: string[] = [];
  for (let due = times.next(now); due && found.length < many; due = times.next(due.at)) {
    found.push(new Date(due.at).toISOString().slice(0, 19));
  }
  return found;
}

test("cron has five fields, or six with the second first, names, and the usual nicknames [D1]", async () => {
  assert.deepEqual(await nextTimes("*/20 * * * * *", 3), [
    "2026-11-16T12:00:20",
    "2026-11-16T12:00:40",
    "2026-11-16T12:01:00",
  ]);
  assert.deepEqual(await nextTimes("30 9 * * MON-FRI", 2), ["2026-11-17T09:30:00", "2026-11-18T09:30:00"]);
  assert.deepEqual(await nextTimes("0 0 L feb *", 2), ["2027-02-28T00:00:00", "2028-02-29T00:00:00"]);
  assert.deepEqual(await nextTimes("0 0 29 2 *", 1), ["2028-02-29T00:00:00"]);
  assert.deepEqual(await nextTimes("0 8 * * 5#2", 1), ["2026-12-11T08:00:00"]);
  assert.deepEqual(await nextTimes("0 0 1 * 1", 3), [
    "2026-11-23T00:00:00",
    "2026-11-30T00:00:00",
    "2026-12-01T00:00:00",
  ]);
  assert.deepEqual(await nextTimes("@Weekly", 1), ["2026-11-22T00:00:00"]);
});

const wrong: readonly (readonly [cron: string, told: RegExp])[] = [
  ["61 * * * *", /^The minute field "61" of the cron "61 \* \* \* \*" is wrong: expected 0-59/],
  ["* 24 * * *", /^The hour field "24" .* expected 0-23/],
  ["0 22-2 * * *", /^The hour field "22-2" .*22-23,0-2\.$/],
  ["0 0 32 * *", /^The day of the month field "32" .* expected 1-31/],
  ["0 0 0 * *", /^The day of the month field "0" /],
  ["0 0 * 13 *", /^The month field "13" .* expected 1-12 or JAN-DEC/],
  ["0 0 * * FUN", /^The day of the week field "FUN" .* SUN-SAT/],
  ["60 * * * * *", /^The second field "60" /],
  ["*/0 * * * *", /^The minute field "\*\/0" /],
  ["5/5 * * * *", /^The minute field "5\/5" /],
  ["1- * * * *", /^The minute field "1-" /],
  ["1,,2 * * * *", /^The minute field "1,,2" /],
  ["? * * * *", /^The minute field "\?" /],
  ["٣ * * * *", /^The minute field "٣" /],
  ["* * * *", /has 4 fields: expected five, minute hour day-of-month month day-of-week, or six/],
  ["0 0 1 1 * 2026 *", /has 7 fields/],
  ["", /has 0 fields/],
  ["@reboot", /^There is no cron "@reboot": expected @hourly/],
  ["0 0 30 2 *", /never comes: no year has such a date/],
  ["0 0 31 4,6,9,11 *", /never comes/],
];

for (const [cron, told] of wrong) {
  test(`the cron "${cron}" is refused with the field that is wrong and its right form [D1]`, async () => {
    const refused = readWhen({ cron, timeZone: "UTC" }, now);
    await assert.rejects(
      refused,
      (error: Error & { code: string }) => error.code === "JOB_INVALID" && told.test(error.message),
    );
  });
}

test("no text makes the reader of cron fail in any other way [D1]", async () => {
  const field = fc.stringMatching(/^[\d*,/#LWA-F?+-]{1,5}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(field, fc.string()), { maxLength: 7 }), async (fields) => {
      try {
        await openTimes({ cron: fields.join(" "), timeZone: "UTC" });
      } catch (thrown) {
        assert.equal((thrown as { code?: string }).code, "JOB_INVALID");
      }
    }),
    { numRuns: count({ quick: 150, full: 10_000 }) },
  );
});

test("a time zone that there is not is refused, with the nearest one [D1]", async () => {
  await assert.rejects(readWhen({ cron: "0 9 * * *", timeZone: "Europe/Berln" }, now), {
    code: "JOB_INVALID",
    message: /^There is no time zone "Europe\/Berln": did you mean Europe\/Berlin/,
  });
});

test("an interval is counted from when it was given [D1]", async () => {
  const when = await readWhen({ every: "1h30m", timeZone: "UTC" }, now);
  assert.deepEqual(when, { everyMs: 5_400_000, anchorAt: now });
  const times = await openTimes(when);
  assert.equal(times.next(now)?.at, now + 5_400_000);
  assert.equal(times.next(now + 5_400_000)?.at, now + 10_800_000);
  assert.equal(times.next(now - 1)?.at, now);
  for (const every of ["0s", "500w", "5", "m", "-5m", "1.5h", "ten minutes"]) {
    await assert.rejects(readWhen({ every, timeZone: "UTC" }, now), { code: "JOB_INVALID" }, every);
  }
});

test("one time is read in the zone unless it has an offset; one that is over or that no calendar has is refused [D1]", async () => {
  const read = async (at: string): Promise<string> => {
    const when = await readWhen({ at, timeZone: "America/New_York" }, now);
    return new Date((when as { at: number }).at).toISOString();
  };
  assert.equal(await read("2026-11-20T09:00"), "2026-11-20T14:00:00.000Z");
  assert.equal(await read("2026-11-20 09:00:30"), "2026-11-20T14:00:30.000Z");
  assert.equal(await read("2026-11-20T09:00Z"), "2026-11-20T09:00:00.000Z");
  assert.equal(await read("2026-11-20T09:00+05:30"), "2026-11-20T03:30:00.000Z");
  assert.equal(await read("2027-03-14T02:30"), "2027-03-14T07:00:00.000Z");
  await assert.rejects(read("2026-11-16T06:59"), {
    code: "JOB_INVALID",
    message: /is over; it is 2026-11-16T12:00:00.000Z/,
  });
  await assert.rejects(read("2027-02-30T09:00"), {
    code: "JOB_INVALID",
    message: /^There is no 2027-02-30T09:00: no calendar/,
  });
  for (const at of ["2027-01-01T24:00", "2027-13-01", "tomorrow", "2027-1-1", ""]) {
    await assert.rejects(read(at), { code: "JOB_INVALID" }, at);
  }
});

test("exactly one way to say when is taken [D1]", async () => {
  await assert.rejects(readWhen({ timeZone: "UTC" }, now), { code: "JOB_INVALID", message: /^Expected one of cron/ });
  await assert.rejects(readWhen({ cron: "* * * * *", every: "5m", timeZone: "UTC" }, now), { code: "JOB_INVALID" });
});

test("a preview shows local times with their offsets, and what the clocks do to them [D1]", async () => {
  const options = { after: Date.parse("2026-03-27T12:00Z"), count: 3, timeZone: "UTC" };
  const daily = await previewTimes({ cron: "30 2 * * *", timeZone: "Europe/Berlin" }, options);
  assert.deepEqual(
    daily.map(({ local, note }) => [local, note]),
    [
      ["2026-03-28 02:30:00 +01:00", null],
      ["2026-03-29 03:00:00 +02:00", "clocks are set forward past its time: the first moment after that"],
      ["2026-03-30 02:30:00 +02:00", null],
    ],
  );
  const once = await previewTimes({ at: options.after + 1 }, { ...options, timeZone: "America/St_Johns" });
  assert.deepEqual(once, [{ at: options.after + 1, local: "2026-03-27 09:30:00 -02:30", note: null }]);
});

test("of due times without number the latest are named and the rest is told as one, in bounded time [D1]", async () => {
  const year = 366 * 86_400_000;
  const walked = async (cron: string): Promise<number> => {
    const times = await openTimes({ cron, timeZone: "Europe/Paris" });
    let asked = 0;
    const counting = { ...times, next: (after: number) => ((asked += 1), times.next(after)) };
    const { times: named, earlier } = collectDue(counting, { after: now - year, until: now, most: 100 });
    assert.ok(named.length >= 90 && named.length <= 110, `${named.length}`);
    assert.ok(named.every((at, index) => index === 0 || at > named[index - 1]!));
    assert.equal(times.next(named.at(-1)!)!.at > now, true);
    assert.equal(earlier?.untilAt, named[0]);
    assert.equal(earlier?.firstAt, times.next(now - year)?.at);
    return asked;
  };
  for (const cron of ["* * * * * *", "* * * 3 * *", "*/5 * * * *", "0 */2 * * *"])
    assert.ok((await walked(cron)) < 500);
  const every = await openTimes({ everyMs: 1000, anchorAt: now - year });
  const { times: named, earlier } = collectDue(every, { after: now - year, until: now, most: 100 });
  assert.equal(named.length + earlier!.count!, year / 1000);
});
