import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { openScheduled } from "./schedule-bench.ts";

const hourly = { name: "x", every: "1h" };
const prompt = { prompt: "hi" };

const wrong: readonly (readonly [written: unknown, told: RegExp])[] = [
  [{ name: "x", cron: "61 * * * *", ...prompt }, /^The minute field "61" of the cron .* expected 0-59/],
  [{ name: "x", cron: "0 0 31 2 *", ...prompt }, /never comes: no year has such a date/],
  [{ name: "x", at: "2099-02-31T10:00", ...prompt }, /^There is no 2099-02-31T10:00/],
  [{ name: "x", at: "2020-01-01T10:00Z", ...prompt }, /^The time 2020-01-01T10:00:00\.000Z is over/],
  [{ name: "x", cron: "@daily", time_zone: "Europe/Berln", ...prompt }, /did you mean Europe\/Berlin/],
  [{ name: "x", every: "soon", ...prompt }, /^"soon" is no interval: expected a whole number with s, m, h, d or w/],
  [{ name: "x", every: "99999999999d", ...prompt }, /^"99999999999d" is too long: a year is 366d\.$/],
  [{ name: "x", every: "0s", ...prompt }, /^Expected an interval from 1s to 366d, got 0\.$/],
  [{ name: "x", at: "2099-02-01T10:00+99:99", ...prompt }, /^There is no 2099-02-01T10:00\+99:99/],
  [{ name: "x", every: 60, ...prompt }, /^every: expected a text, got 60\.$/],
  [{ name: "x", ...prompt }, /^Expected one of cron .* every .* or at/],
  [{ name: "x", every: "1h", cron: "@daily", ...prompt }, /^Expected one of cron.*; got cron and every\.$/],
  [{ name: "x", cron: "@daily", time_zone: "Mars/Olympus", ...prompt }, /^There is no time zone "Mars\/Olympus"/],
  [
    { ...hourly, time_zone: "UTC", ...prompt },
    /^every counts from now, .* leave time_zone out, or say when by cron\.$/,
  ],
  [{ ...hourly, ...prompt, timeout: "soon" }, /^"soon" is no timeout: expected a whole number/],
  [{ ...hourly, agent: "claude", message: "hi", timeout: "soon" }, /^"soon" is no timeout/],
  [{ ...hourly, ...prompt, jitter: "soon" }, /^"soon" is no jitter/],
  [{ ...hourly, ...prompt, deadline: "soon" }, /^"soon" is no deadline/],
  [{ ...hourly, ...prompt, missed_window: "soon" }, /^"soon" is no missed window/],
  [
    { ...hourly, agent: "claude", message: "hi", cwd: "none" },
    /^There is no folder none: make it first, or name another\.$/,
  ],
  [
    { ...hourly, tool_name: "bash", tool_ref: { kind: "custom_file", file: "tools/x.ts" } },
    /^A job has no "tool_name"; did you mean "tool"\? A job has no "tool_ref"; did you mean "file"\?$/,
  ],
  [hourly, /^Expected one thing to do: a tool, a file, a prompt, an agent or improve; got none\.$/],
  [{ ...hourly, ...prompt, tool: "bash" }, /got tool and prompt/],
  [{ ...hourly, ...prompt, input: {} }, /^"input" belongs to tool or file, and this job has prompt/],
  [{ ...hourly, tool: "bsh" }, /^There is no tool named "bsh"\. Did you mean bash/],
  [{ ...hourly, tool: "bash", input: {} }, /^The input does not fit bash: .*command/],
  [{ ...hourly, tool: "bash", input: ["ls"] }, /^input: expected an object, got \["ls"\]\.$/],
  [{ ...hourly, file: "tools/gone.ts" }, /^There is no file tools\/gone\.ts\.$/],
  [{ ...hourly, file: "../outside.ts" }, /^There is no file \.\.\/outside\.ts\.$/],
  [{ ...hourly, agent: "claud", message: "hi" }, /^There is no agent named "claud"\. Did you mean claude/],
  [{ ...hourly, agent: "claude" }, /^Say what claude has to do: a message\.$/],
  [{ ...hourly, improve: "bash" }, /only such a one can be improved\. There are no tool files here\.$/],
  [
    { ...hourly, ...prompt, overlap: "sometimes" },
    /^overlap: expected one of skip, queue_one, cancel_old, allow; got "sometimes"\.$/,
  ],
  [{ ...hourly, ...prompt, retries: 99 }, /^Expected a number of retries from 0 to 10, got 99\.$/],
  [{ ...hourly, ...prompt, jitter: "2h" }, /^Expected a jitter from 0 to 1h, got 2h\.$/],
  [{ ...hourly, ...prompt, timeout: "0" }, /^Expected a time limit from 1s to 31d, got 0\.$/],
  [{ ...hourly, ...prompt, deadline: "367d12h" }, /^Expected a deadline from 1s to 366d, got 367d12h\.$/],
  [{ ...hourly, ...prompt, allow: ["bash(npm test"] }, /^The permission rule "bash\(npm test" can't be used/],
  [{ ...hourly, ...prompt, croon: "@daily" }, /^A job has no "croon"; did you mean "cron"\?$/],
  [{ ...hourly, ...prompt, name: "" }, /^name is empty\.$/],
  [{ every: "1h", ...prompt }, /^name is missing\.$/],
  [null, /^The job: expected an object, got null\.$/],
];

test("an order that is wrong is refused with one sentence that says what to write, and nothing is kept [D1]", async (t) => {
  const { schedule } = await openScheduled(t);
  for (const [written, told] of wrong) {
    await assert.rejects(schedule.add(written, { by: "kim" }), (error: Error & { code?: string }) => {
      assert.equal(error.code, "JOB_INVALID", JSON.stringify(written));
      assert.match(error.message, told);
      assert.ok(!error.message.includes("\n"));
      return true;
    });
  }
  assert.deepEqual(await schedule.list(), []);
});

test("each kind of work is kept as it was written, with what was not said filled in [D1]", async (t) => {
  const { schedule, runtime } = await openScheduled(t, {
    settings: { schedule: { time_zone: "Asia/Seoul", retries: 1 } },
  });
  const add = (written: object) => schedule.add({ every: "1h", ...written }, { by: "kim" });
  assert.deepEqual((await add({ name: "p", prompt: "hi", model: "ollama/b" })).work, {
    kind: "prompt",
    prompt: "hi",
    model: "ollama/b",
  });
  const { work, timeoutMs, retries } = await add({
    name: "a",
    agent: "claude",
    message: "hi",
    timeout: "10m",
    cwd: ".",
  });
  assert.deepEqual(work, {
    kind: "agent",
    order: {
      agent: "claude",
      message: "hi",
      model: null,
      systemPrompt: null,
      cwd: runtime.workdir,
      args: [],
      timeoutMs: 600_000,
      resume: null,
      bypassesPermissions: false,
    },
  });
  // The run's own limit is behind the agent's.
  assert.deepEqual([timeoutMs, retries], [660_000, 1]);
  const { when, deadlineMs, missed, jitterMs } = await schedule.add(
    { name: "c", cron: "0 9 * * *", prompt: "hi", deadline: "10m", missed: "all", missed_window: "2d", jitter: "0" },
    { by: "kim" },
  );
  assert.deepEqual(
    { when, deadlineMs, missed, jitterMs },
    {
      when: { cron: "0 9 * * *", timeZone: "Asia/Seoul" },
      deadlineMs: 600_000,
      missed: { mode: "all", max: 10, windowMs: 172_800_000 },
      jitterMs: 0,
    },
  );
  assert.deepEqual(
    (await schedule.list()).map(({ job, lastRun, passedOver }) => [job.name, lastRun, passedOver]),
    [
      ["a", null, 0],
      ["c", null, 0],
      ["p", null, 0],
    ],
  );
});

test("what becomes of jobs and runs stands in the journal, in the order it happened [D1] [D4]", async (t) => {
  const { schedule, runtime } = await openScheduled(t);
  await schedule.add({ name: "x", every: "1h", tool: "bash", input: { command: "true" } }, { by: "kim" });
  await schedule.carryOut("x", { by: "kim", signal: new AbortController().signal });
  await schedule.remove("x", { by: "kim", reason: "not needed" });
  const { workdir } = runtime;
  await runtime.close();
  const text = await readFile(`${workdir}/.deckhand/logs/chat_log.jsonl`, "utf8");
  const told = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => type === "schedule")
    .map(({ event, change, state }) => [event, change ?? state ?? null]);
  assert.deepEqual(told, [
    ["job:changed", "added"],
    ["run:started", null],
    ["run:settled", "succeeded"],
    ["job:changed", "removed"],
  ]);
});

test("a job that contains a secret is refused, because jobs are stored as they are written [G6]", async (t) => {
  const token = `ghp_${"a1B2c3D4".repeat(5).slice(0, 36)}`;
  const { home, schedule } = await openScheduled(t);
  const header = `curl -H 'Authorization: Bearer ${token}' https://example.com`;
  const bearer = { ...hourly, tool: "bash", input: { command: header } };
  for (const written of [
    bearer,
    { ...hourly, prompt: `Use ${token}.` },
    { ...hourly, ...prompt, allow: [`bash(${header})`] },
  ]) {
    await assert.rejects(schedule.add(written, { by: "kim" }), (thrown: Error & { code: string }) => {
      assert.equal(thrown.code, "JOB_INVALID");
      assert.match(
        thrown.message,
        /^The job contains a secret \(.*\[MASKED:[^\]]+\].*\), and jobs are stored as they are written\. Put it into an environment variable, let commands see that with tools\.environment, and write \$NAME in the job\.$/,
      );
      assert.ok(!thrown.message.includes(token));
      return true;
    });
  }
  const kept = {
    ...hourly,
    tool: "bash",
    input: { command: 'curl -H "Authorization: Bearer $TOKEN" https://example.com' },
  };
  await schedule.add(kept, { by: "kim" });
  assert.ok(!(await readFile(`${home}/.deckhand/deckhand.db`, "latin1")).includes(token));
});
