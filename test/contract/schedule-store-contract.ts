import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { ProcessIdentity } from "../../src/core/process.ts";
import type { Job, JobPlan, Run, ScheduleStore } from "../../src/core/job.ts";
import { makeJob, makeRun } from "./make-job.ts";

const me: ProcessIdentity = { pid: 4711, startTime: "1", bootId: "b" };
const other: ProcessIdentity = { pid: 4711, startTime: "2", bootId: "b" };

function planFor(job: Job, given: Partial<JobPlan> = {}): JobPlan {
  return {
    version: job.version,
    now: 1000,
    set: {},
    add: [],
    change: [],
    forgetAfter: null,
    staggerMs: 5000,
    ...given,
  };
}

/** Every promise of `ScheduleStore`, for each implementation. */
export function scheduleStoreContract(name: string, open: (t: TestContext) => Promise<ScheduleStore>): void {
  async function openWith(t: TestContext, given: Partial<Job> = {}): Promise<{ store: ScheduleStore; job: Job }> {
    const store = await open(t);
    const job = makeJob(given);
    assert.equal(await store.addJob(job), true);
    return { store, job };
  }

  const idsOf = (runs: readonly Run[]): string[] => runs.map(({ id }) => id);

  describe(`schedule store: ${name}`, () => {
    test("a job comes back as it was added, whatever its texts are [D1]", async (t) => {
      const store = await open(t);
      const job = makeJob({
        name: 'nächtlich \u{1f319} \\ "x"',
        work: {
          kind: "tool",
          toolName: "a_b",
          toolRef: { kind: "custom_file", file: "tools/a_b.ts", toolName: "a_b", entrypoint: "run" },
          input: { snake_case: 1, camelCase: [{ at: 5, __proto_: null }], text: "\ud800\u0000" },
        },
        when: { cron: "0 9 * * 1-5", timeZone: "Asia/Kolkata" },
        deadlineMs: 60_000,
        paused: { by: "me", reason: null, at: 1_767_225_600_123 },
        grant: { allow: ["bash(npm *)"], deny: ["write(.env)"] },
        nextAt: 1_767_225_600_456,
      });
      assert.equal(await store.addJob(job), true);
      assert.deepEqual(await store.getJob(job.id), job);
      assert.deepEqual(await store.listJobs(), [job]);
      assert.equal(await store.getJob("job_unknown"), undefined);
    });

    test("of each kind of work and time, nothing is changed on the way [D1]", async (t) => {
      const store = await open(t);
      const order = {
        agent: "claude",
        message: "m",
        systemPrompt: null,
        model: null,
        cwd: "/w",
        args: ["-x"],
        timeoutMs: 5,
        resume: null,
        bypassesPermissions: false,
      };
      const jobs = [
        makeJob({ name: "a", work: { kind: "prompt", prompt: "Do it", model: "m" }, when: { at: 1_767_225_600_001 } }),
        makeJob({ name: "b", work: { kind: "agent", order }, when: { everyMs: 1000, anchorAt: 1_767_225_600_001 } }),
        makeJob({ name: "c", work: { kind: "improve", toolName: "t" } }),
      ];
      for (const job of jobs) await store.addJob(job);
      assert.deepEqual(await store.listJobs(), jobs);
    });

    test("two jobs can't have one name [D1]", async (t) => {
      const { store, job } = await openWith(t, { name: "nightly" });
      assert.equal(await store.addJob(makeJob({ name: "nightly" })), false);
      assert.deepEqual(await store.listJobs(), [job]);
      assert.equal(await store.removeJob(job.id, { reason: "r", at: 1 }), true);
      assert.equal(await store.addJob(makeJob({ name: "nightly" })), true);
    });

    test("jobs are listed by name, and by their next time [D1]", async (t) => {
      const store = await open(t);
      const jobs = [makeJob({ name: "c", nextAt: 100 }), makeJob({ name: "a", nextAt: 200 }), makeJob({ name: "b" })];
      for (const job of jobs) await store.addJob(job);
      const names = (found: Job[]): string[] => found.map(({ name }) => name);
      assert.deepEqual(names(await store.listJobs()), ["a", "b", "c"]);
      assert.deepEqual(names(await store.listJobs({ dueBy: 199 })), ["c"]);
      assert.deepEqual(names(await store.listJobs({ dueBy: 200 })), ["a", "c"]);
    });

    test("a job changes only for those who have seen it as it is [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const paused = { by: "me", reason: "r", at: 5 };
      assert.deepEqual(await store.changeJob(job.id, 1, { paused, nextAt: null }), {
        ...job,
        paused,
        nextAt: null,
        version: 2,
      });
      assert.equal(await store.changeJob(job.id, 1, { paused: null }), undefined);
      assert.equal(await store.plan(job.id, planFor(job, { add: [makeRun(job)] })), undefined);
      assert.equal(await store.changeJob("job_unknown", 1, {}), undefined);
      assert.deepEqual(await store.listRuns({ limit: 10 }), []);
      assert.deepEqual((await store.getJob(job.id))?.paused, paused);
    });

    test("a due time has one row, whoever adds it, however often [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const first = makeRun(job, { dueAt: 500 });
      const second = makeRun(job, { dueAt: 600 });
      const planned = await store.plan(
        job.id,
        planFor(job, { add: [first], set: { plannedUntilAt: 550, nextAt: 600 } }),
      );
      assert.deepEqual(planned, { job: { ...job, plannedUntilAt: 550, nextAt: 600, version: 2 }, runs: [first] });
      assert.equal(await store.addRun(makeRun(job, { dueAt: 500 })), false);
      const again = await store.plan(job.id, planFor(planned.job, { add: [makeRun(job, { dueAt: 500 }), second] }));
      assert.deepEqual(again?.runs, [second]);
      assert.deepEqual(await store.listRuns({ limit: 10 }), [second, first]);
      assert.equal(await store.addRun(makeRun(makeJob(), { dueAt: 500 })), true);
    });

    test("of many that plan one job at once, one does [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const plans = Array.from({ length: 20 }, () => planFor(job, { add: [makeRun(job, { dueAt: 500 })] }));
      const planned = await Promise.all(plans.map((plan) => store.plan(job.id, plan)));
      assert.equal(planned.filter((each) => each !== undefined).length, 1);
      assert.equal((await store.listRuns({ limit: 10 })).length, 1);
    });

    test("a plan changes only runs that are still due [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const [waiting, taken] = [makeRun(job, { dueAt: 1 }), makeRun(job, { dueAt: 2 })];
      for (const run of [waiting, taken]) await store.addRun(run);
      await store.claim(taken.id, { owner: me, alone: true });
      const set = { state: "missed", reason: "r", endedAt: 1000 } as const;
      const planned = await store.plan(
        job.id,
        planFor(job, { change: [waiting, taken].map(({ id }) => ({ id, set })) }),
      );
      assert.deepEqual(planned?.runs, [{ ...waiting, ...set }]);
      assert.equal((await store.getRun(taken.id))?.state, "claimed");
    });

    test("runs that catch up start one behind the other, over all jobs [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const neighbour = makeJob();
      await store.addJob(neighbour);
      const catchUp = (of: Job, dueAt: number): Run => makeRun(of, { dueAt, startAt: 1000, trigger: "catch_up" });
      const left = makeRun(job, { dueAt: 1 });
      await store.addRun(left);
      const first = await store.plan(
        job.id,
        planFor(job, {
          change: [{ id: left.id, set: { trigger: "catch_up", startAt: 1000 } }],
          add: [catchUp(job, 2), makeRun(job, { dueAt: 3, startAt: 900 })],
        }),
      );
      const second = await store.plan(neighbour.id, planFor(neighbour, { now: 2000, add: [catchUp(neighbour, 1)] }));
      assert.deepEqual(
        [...first!.runs, ...second!.runs].map(({ startAt }) => startAt),
        [1000, 6000, 900, 11_000],
      );
    });

    test("a catch-up that has run at a time to come, by a clock that was set back, holds nobody up [D1]", async (t) => {
      const { store, job } = await openWith(t);
      await store.addRun(
        makeRun(job, { dueAt: 1, startAt: 900_000, trigger: "catch_up", state: "succeeded", endedAt: 900_001 }),
      );
      const planned = await store.plan(
        job.id,
        planFor(job, { add: [makeRun(job, { dueAt: 2, startAt: 1000, trigger: "catch_up" })] }),
      );
      assert.equal(planned?.runs[0]?.startAt, 1000);
    });

    test("a plan can take back rows of times to come for which nothing was done [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const neighbour = makeJob();
      const kept = [
        makeRun(job, { dueAt: 500, state: "missed", endedAt: 1 }),
        makeRun(job, { dueAt: 600, state: "succeeded", endedAt: 1 }),
        makeRun(job, { dueAt: 700 }),
        makeRun(neighbour, { dueAt: 800, state: "missed", endedAt: 1 }),
        makeRun(job, { dueAt: 850, state: "missed", endedAt: 1, span: { fromAt: 100, count: 5 } }),
      ];
      const gone = [
        makeRun(job, { dueAt: 800, state: "missed", endedAt: 1 }),
        makeRun(job, { dueAt: 900, state: "skipped", endedAt: 1 }),
      ];
      for (const run of [...kept, ...gone]) await store.addRun(run);
      await store.plan(job.id, planFor(job, { forgetAfter: 500 }));
      assert.deepEqual(idsOf(await store.listRuns({ limit: 10 })).sort(), idsOf(kept).sort());
      assert.equal(await store.addRun(makeRun(job, { dueAt: 800 })), true);
    });

    test("of many that claim a run at once, one gets it, with a new fence [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const run = makeRun(job);
      await store.addRun(run);
      const claims = await Promise.all(
        Array.from({ length: 20 }, () => store.claim(run.id, { owner: me, alone: true })),
      );
      const claimed = { ...run, state: "claimed", owner: me, fence: 1 };
      assert.deepEqual(claims.filter(Boolean), [{ claimed }]);
      assert.deepEqual(await store.getRun(run.id), claimed);
      await store.changeRun(run.id, { from: ["claimed"], fence: 1, set: { state: "due", owner: null } });
      assert.deepEqual(await store.claim(run.id, { owner: other, alone: true }), {
        claimed: { ...claimed, owner: other, fence: 2 },
      });
      assert.equal(await store.claim("run_unknown", { owner: me, alone: true }), undefined);
    });

    test("who wants to be alone is told who is in the way; others are not asked [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const [first, second, third] = [1, 2, 3].map((dueAt) => makeRun(job, { dueAt })) as [Run, Run, Run];
      const stranger = makeRun(makeJob());
      for (const run of [first, second, third, stranger]) await store.addRun(run);
      await store.claim(first.id, { owner: me, alone: true });
      assert.deepEqual(await store.claim(second.id, { owner: other, alone: true }), {
        inTheWay: await store.getRun(first.id),
      });
      await store.changeRun(first.id, { from: ["claimed"], set: { state: "running" } });
      assert.ok("inTheWay" in (await store.claim(second.id, { owner: other, alone: true }))!);
      assert.ok("claimed" in (await store.claim(third.id, { owner: other, alone: false }))!);
      assert.ok("claimed" in (await store.claim(stranger.id, { owner: other, alone: true }))!);
    });

    test("an owner that has lost its claim changes nothing, and nobody changes what is final [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const run = makeRun(job, { state: "running", fence: 3 });
      await store.addRun(run);
      const end = { state: "succeeded", endedAt: 9, summary: "done" } as const;
      assert.equal(await store.changeRun(run.id, { from: ["running"], fence: 2, set: end }), undefined);
      assert.equal(await store.changeRun(run.id, { from: ["claimed"], fence: 3, set: end }), undefined);
      assert.deepEqual(await store.changeRun(run.id, { from: ["running"], fence: 3, set: end }), { ...run, ...end });
      assert.equal(await store.changeRun(run.id, { from: ["succeeded"], set: { state: "due" } }), undefined);
      assert.equal(await store.requestCancel(run.id, { reason: "r", at: 10 }), false);
      assert.deepEqual(await store.getRun(run.id), { ...run, ...end });
    });

    test("a cancel ends what is due, and asks the owner of what runs, the first reason winning [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const [due, running] = [makeRun(job, { dueAt: 1 }), makeRun(job, { dueAt: 2, state: "running", owner: me })];
      for (const run of [due, running]) await store.addRun(run);
      for (const reason of ["first", "second"]) {
        assert.equal(await store.requestCancel(running.id, { reason, at: 7 }), true);
        assert.equal(await store.requestCancel(due.id, { reason, at: 7 }), reason === "first");
      }
      assert.deepEqual(await store.getRun(due.id), { ...due, state: "cancelled", reason: "first", endedAt: 7 });
      assert.deepEqual(await store.getRun(running.id), { ...running, cancelReason: "first" });
      assert.equal(await store.requestCancel("run_unknown", { reason: "r", at: 1 }), false);
    });

    test("a job that is removed leaves its history and takes what was to come with it [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const runs = [
        makeRun(job, { dueAt: 1, state: "failed", endedAt: 1 }),
        makeRun(job, { dueAt: 2, state: "running", owner: me }),
        makeRun(job, { dueAt: 3 }),
      ];
      for (const run of runs) await store.addRun(run);
      assert.equal(await store.removeJob(job.id, { reason: "removed", at: 9 }), true);
      assert.equal(await store.removeJob(job.id, { reason: "removed", at: 9 }), false);
      assert.deepEqual(await store.listJobs(), []);
      assert.deepEqual((await store.listRuns({ jobId: job.id, limit: 10 })).toReversed(), [
        runs[0],
        { ...runs[1], cancelReason: "removed" },
        { ...runs[2], state: "cancelled", reason: "removed", endedAt: 9 },
      ]);
    });

    test("runs are listed latest first, by job, by state, and page by page [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const runs = [5, 3, 9, 7].map((dueAt) =>
        makeRun(job, { dueAt, state: dueAt > 5 ? "missed" : "failed", endedAt: 1 }),
      );
      const twin = makeRun(makeJob(), { dueAt: 7 });
      for (const run of [...runs, twin]) await store.addRun(run);
      const [five, three, nine, seven] = runs as [Run, Run, Run, Run];
      assert.deepEqual(await store.listRuns({ limit: 10 }), [nine, twin, seven, five, three]);
      assert.deepEqual(await store.listRuns({ limit: 2, before: twin }), [seven, five]);
      assert.deepEqual(await store.listRuns({ limit: 10, jobId: job.id, states: ["missed"] }), [nine, seven]);
      assert.deepEqual(await store.listRuns({ limit: 10, jobId: job.id, states: ["failed"], before: five }), [three]);
    });

    test("what is due is listed by its start, page by page, and the next time is known [D1]", async (t) => {
      const { store, job } = await openWith(t, { nextAt: 900 });
      const runs = [300, 100, 100, 200, 400].map((startAt, dueAt) => makeRun(job, { dueAt, startAt }));
      for (const run of runs) await store.addRun(run);
      await store.addRun(makeRun(job, { dueAt: 99, startAt: 50, state: "succeeded", endedAt: 60 }));
      const [a, b, c, d] = runs as [Run, Run, Run, Run, Run];
      assert.deepEqual(await store.listDue({ startBy: 300, limit: 10 }), [b, c, d, a]);
      assert.deepEqual(await store.listDue({ startBy: 300, limit: 2, after: b }), [c, d]);
      assert.deepEqual(await store.listDue({ startBy: -Infinity, limit: 2 }), []);
      assert.equal(await store.nextTime(0), 100);
      assert.equal(await store.nextTime(300), 400);
      assert.equal(await store.nextTime(400), 900);
      assert.equal(await store.nextTime(900), undefined);
    });

    test("old runs are removed, but never the latest of a job, and none that is under way [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const quiet = makeJob();
      await store.addJob(quiet);
      const runs = {
        old: makeRun(job, { dueAt: 1, state: "succeeded", endedAt: 10 }),
        open: makeRun(job, { dueAt: 2, state: "running" }),
        young: makeRun(job, { dueAt: 3, state: "missed", endedAt: 20 }),
        latest: makeRun(quiet, { dueAt: 1, state: "failed", endedAt: 10 }),
        ofNobody: makeRun(makeJob(), { dueAt: 1, state: "failed", endedAt: 10 }),
      };
      for (const run of Object.values(runs)) await store.addRun(run);
      assert.equal(await store.countPrunable(20), 2);
      assert.equal(await store.prune(20), 2);
      assert.equal(await store.countPrunable(20), 0);
      const left = idsOf(await store.listRuns({ limit: 10 }));
      assert.deepEqual(left.sort(), idsOf([runs.open, runs.young, runs.latest]).sort());
    });

    test("it is known when a scheduler was last there [D1]", async (t) => {
      const store = await open(t);
      assert.equal(await store.servedAt(), undefined);
      await store.noteServed(1_767_225_600_123);
      assert.equal(await store.servedAt(), 1_767_225_600_123);
      // The clock was set back.
      await store.noteServed(5);
      assert.equal(await store.servedAt(), 5);
    });

    test("the revision changes with each write [D1]", async (t) => {
      const { store, job } = await openWith(t);
      const before = await store.revision();
      assert.equal(await store.revision(), before);
      await store.addRun(makeRun(job));
      assert.notEqual(await store.revision(), before);
    });
  });
}
