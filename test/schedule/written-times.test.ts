import assert from "node:assert/strict";
import { test } from "node:test";
import { previewTimes } from "../../src/schedule/times/preview-times.ts";
import { readDuration, readWhen, type WrittenWhen } from "../../src/schedule/times/read-when.ts";
import { openZone } from "../../src/schedule/times/zone.ts";

const now = Date.parse("2026-11-16T12:00:00Z");

async function refusalOf(written: Partial<WrittenWhen>): Promise<string> {
  let told = "";
  await assert.rejects(readWhen({ timeZone: "UTC", ...written }, now), (error: Error & { code: string }) => {
    told = error.message;
    return error.code === "JOB_INVALID";
  });
  return told;
}

const meant: readonly (readonly [cron: string, hint: string, right: string])[] = [
  ["0/15 * * * *", "A step begins with a range: */15.", "*/15 * * * *"],
  ["5/15 * * * *", "A step begins with a range: 5-59/15.", "5-59/15 * * * *"],
  ["0 0 1 2/3 *", "A step begins with a range: 2-12/3.", "0 0 1 2-12/3 *"],
  ["0 9 * * FRI-MON", "A range that goes past the end is two: FRI-SAT,SUN-MON.", "0 9 * * FRI-SAT,SUN-MON"],
  ["0 9 * * sat-tue", "A range that goes past the end is two: sat,SUN-tue.", "0 9 * * sat,SUN-tue"],
  ["0 9 * * 5-1", "A range that goes past the end is two: 5-6,0-1.", "0 9 * * 5-6,0-1"],
  ["0 9 * DEC-FEB *", "A range that goes past the end is two: DEC,JAN-FEB.", "0 9 * DEC,JAN-FEB *"],
  ["0 9 * 11-2 *", "A range that goes past the end is two: 11-12,1-2.", "0 9 * 11-12,1-2 *"],
  ["0 9 28-3 * *", "A range that goes past the end is two: 28-31,1-3.", "0 9 28-31,1-3 * *"],
  ["0 7,22-2 * * *", "A range that goes past the end is two: 22-23,0-2.", "0 7,22-23,0-2 * * *"],
  ["0 9 * * MONDAY", "Names are short: MON.", "0 9 * * MON"],
  ["0 9 1 january *", "Names are short: JAN.", "0 9 1 JAN *"],
];

for (const [cron, hint, right] of meant) {
  test(`the cron "${cron}" is refused with how to write what is meant, and that is taken [D1]`, async () => {
    const told = await refusalOf({ cron });
    assert.ok(told.endsWith(` ${hint}`), told);
    await readWhen({ cron: right, timeZone: "UTC" }, now);
  });
}

test("a step that is longer than its field is told to be an interval [D1]", async () => {
  assert.match(
    await refusalOf({ cron: "*/90 * * * *" }),
    /^The minute field .* write every "90m" instead of a cron\.$/,
  );
  assert.match(await refusalOf({ cron: "0 */36 * * *" }), /^The hour field .* write every "36h" instead of a cron\.$/);
});

test('a "?" for either day says that the other one counts, and nothing else may be one [D1]', async () => {
  const next = async (cron: string): Promise<string[]> => {
    const when = await readWhen({ cron, timeZone: "UTC" }, now);
    const times = await previewTimes(when, { after: now, count: 2, timeZone: "UTC" });
    return times.map(({ local }) => local.slice(0, 16));
  };
  assert.deepEqual(await next("0 9 ? * FRI"), ["2026-11-20 09:00", "2026-11-27 09:00"]);
  assert.deepEqual(await next("0 0 9 13 * ?"), ["2026-12-13 09:00", "2027-01-13 09:00"]);
  assert.match(await refusalOf({ cron: "0 ? * * *" }), /^The hour field "\?"/);
  assert.match(await refusalOf({ cron: "0 9 ?,2 * *" }), /^The day of the month field "\?,2"/);
});

test("a time is read as programs write it, with parts of a second [D1]", async () => {
  const read = async (at: string) => (await readWhen({ at, timeZone: "Asia/Seoul" }, now)) as { at: number };
  const soon = new Date(now + 250).toISOString();
  assert.equal((await read(soon)).at, now + 250);
  assert.equal((await read("2026-11-20T09:00:00.5")).at, Date.parse("2026-11-20T00:00:00.500Z"));
  assert.equal((await read("2026-11-20T09:00:00.123456789+01:00")).at, Date.parse("2026-11-20T08:00:00.123Z"));
  for (const at of ["2026-11-20T09:00.5", "2026-11-20.5", "2026-11-20T09:00:00."]) await refusalOf({ at });
});

test("an M is no minute where it may be a month, and what is wrong is named [D1]", async () => {
  assert.match(
    await refusalOf({ every: "1M" }),
    /^"1M" is no interval: .*; write m for minutes, as M may be months\.$/,
  );
  assert.equal(readDuration("1H30m"), 5_400_000);
  assert.throws(
    () => readDuration("soon", "deadline"),
    /^RuntimeError: "soon" is no deadline: expected a whole number/,
  );
});

test("of two ways to say when both are named [D1]", async () => {
  assert.match(await refusalOf({ cron: "@daily", at: "2027-01-01" }), / or at \("[^"]+"\); got cron and at\.$/);
});

test("a zone by an abbreviation that many mean otherwise is refused; those of IANA are taken [D1]", async () => {
  // For the library BST is Dhaka, AST Anchorage and IST India.
  for (const timeZone of ["BST", "ast", "IST", "PST", "PDT", "CEST"]) {
    assert.equal(
      await refusalOf({ cron: "@daily", timeZone }),
      `There is no time zone "${timeZone}": an abbreviation has several meanings; take a place, such as Europe/London, or UTC.`,
    );
  }
  for (const timeZone of ["CET", "utc", "GMT", "EST", "EST5EDT", "Etc/GMT+5", "europe/berlin", "+05:45"]) {
    await readWhen({ cron: "@daily", timeZone }, now);
  }
  // A job that has one already goes on.
  assert.equal(openZone("IST").offsetAt(now), 19_800_000);
});

test("a zone that is an offset is told how to be written [D1]", async () => {
  for (const [timeZone, right] of [
    ["UTC+2", "+02:00"],
    ["GMT-0330", "-03:30"],
    ["+9", "+09:00"],
  ] as const) {
    const told = await refusalOf({ cron: "@daily", timeZone });
    assert.equal(told, `There is no time zone "${timeZone}": for a fixed offset write ${right}.`);
    await readWhen({ cron: "@daily", timeZone: right }, now);
  }
});

test("a wrong zone is refused also where only an interval is asked for [D1]", async () => {
  assert.match(await refusalOf({ every: "1h", timeZone: "Mars/Olympus" }), /^There is no time zone "Mars\/Olympus"/);
});
