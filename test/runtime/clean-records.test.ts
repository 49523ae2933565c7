import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { createId } from "../../src/core/ids.ts";
import { claimDataFolder } from "../../src/records/claim-data-folder.ts";
import { cleanRecords, type CleanReport } from "../../src/runtime/clean/clean-records.ts";
import { locateFolders, type Folders } from "../../src/config/folders.ts";
import { openJournalReader } from "../../src/records/audit-log/log-reader.ts";
import { openDatabase } from "../../src/records/sqlite/database.ts";
import { createSqliteInbox } from "../../src/records/sqlite/sqlite-approvals.ts";
import { createSqliteScheduleStore } from "../../src/records/sqlite/sqlite-schedule-store.ts";
import { openSqliteStore } from "../../src/records/sqlite/sqlite-call-store.ts";
import { createSqliteTaskStore } from "../../src/records/sqlite/sqlite-task-store.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { makeJob, makeRun } from "../contract/make-job.ts";
import { makeTask } from "../contract/make-task.ts";
import { isolatedEnvironment } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

const day = 24 * 60 * 60 * 1000;

async function openOld(t: TestContext): Promise<{ folders: Folders; env: Record<string, string>; clean: Clean }> {
  const workdir = await temporaryFolder(t);
  const env = isolatedEnvironment(workdir);
  const folders = locateFolders(workdir, env);
  claimDataFolder(folders);
  const now = Date.now();
  const store = await openSqliteStore({ path: folders.database, clock: systemClock });
  const executions = [40, 31, 29, 1].map((days) => {
    const at = now - days * day;
    return complete(makeExecution({ id: createId("call", at), createdAt: at }), { completedAt: at + 5 });
  });
  await store.save([...executions, makeExecution({ id: createId("call", now - 50 * day) })]);
  await store.close();
  mkdirSync(folders.outputs, { mode: 0o700 });
  for (const days of [10, 8, 6, 1]) {
    const path = join(folders.outputs, `${days}.txt`);
    writeFileSync(path, "x".repeat(100));
    utimesSync(path, now / 1000, (now - days * day) / 1000);
  }
  return { folders, env, clean: (options) => cleanRecords({ workdir, env, isDryRun: false, ...options }) };
}

type Clean = (options?: Partial<Parameters<typeof cleanRecords>[0]>) => Promise<CleanReport>;

function counts({ executions, outputs, log }: CleanReport): number[] {
  return [executions.count, outputs.count, outputs.bytes, log.segments];
}

test("what is older than retention says is removed, and a chained line tells of it [D4]", async (t) => {
  const { folders, env, clean } = await openOld(t);
  assert.deepEqual(counts(await clean({ isDryRun: true })), [2, 2, 200, 0]);
  assert.equal(existsSync(folders.logs), false);
  assert.equal(readdirSync(folders.outputs).length, 4);

  assert.deepEqual(counts(await clean()), [2, 2, 200, 0]);
  assert.deepEqual(readdirSync(folders.outputs).sort(), ["1.txt", "6.txt"]);
  const lines = readFileSync(join(folders.logs, "chat_log.jsonl"), "utf8").trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    entries.map(({ type, what, count }) => [type, what, count]),
    [
      ["opened", undefined, undefined],
      ["pruned", "executions", 2],
      ["pruned", "outputs", 2],
      ["closed", undefined, undefined],
    ],
  );
  const report = await openJournalReader(folders.workdir, env).verify();
  assert.deepEqual([report.ok, report.headsChecked], [true, 1]);
  assert.deepEqual(counts(await clean()), [0, 0, 0, 0]);
});

test("outputs beyond the limit go from the oldest on, however young they are", async (t) => {
  const { folders, clean } = await openOld(t);
  const report = await clean({ retention: { outputsDays: 100, outputsMaxBytes: 250, executionsDays: 100 } });
  assert.deepEqual(counts(report), [0, 2, 200, 0]);
  assert.deepEqual(readdirSync(folders.outputs).sort(), ["1.txt", "6.txt"]);
});

test("nothing is removed when that can't be told in the log", async (t) => {
  const { folders, clean } = await openOld(t);
  mkdirSync(join(folders.logs, "chat_log.jsonl"), { recursive: true });
  await assert.rejects(clean(), { code: "LOG_UNWRITABLE", message: /^The log .+ can't be written/ });
  rmSync(folders.logs, { recursive: true });
  assert.deepEqual(counts(await clean({ isDryRun: true })), [2, 2, 200, 0]);
  assert.equal(readdirSync(folders.outputs).length, 4);
});

test("a folder without records has nothing to clean, and gets none", async (t) => {
  const workdir = await temporaryFolder(t);
  const report = await cleanRecords({ workdir, env: isolatedEnvironment(workdir), isDryRun: false });
  assert.deepEqual(counts(report), [0, 0, 0, 0]);
  assert.equal(existsSync(join(workdir, ".deckhand")), false);
});

test("what files were before tools changed them goes with the outputs, and leaves no empty folder", async (t) => {
  const { folders, clean } = await openOld(t);
  const turn = join(folders.data, "undo/ses_1/turn");
  mkdirSync(turn, { recursive: true });
  writeFileSync(join(turn, "old"), "before");
  const longAgo = (Date.now() - 9 * day) / 1000;
  utimesSync(join(turn, "old"), longAgo, longAgo);
  mkdirSync(join(folders.data, "undo/ses_2/turn"), { recursive: true });
  writeFileSync(join(folders.data, "undo/ses_2/turn/new"), "before");
  assert.equal((await clean({ isDryRun: true })).outputs.count, 3);
  assert.equal((await clean()).outputs.count, 3);
  assert.deepEqual(readdirSync(join(folders.data, "undo")), ["ses_2"]);
});

test("background tasks go a while after their end, with their folders, and those that run never do [D4] [T5]", async (t) => {
  const { folders, env, clean } = await openOld(t);
  const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000;
  const store = createSqliteTaskStore(await openDatabase({ path: folders.database, clock: systemClock }));
  const tasks = join(folders.data, "tasks");
  for (const [minutes, state] of [
    [61, "completed"],
    [59, "failed"],
    [500, "running"],
  ] as const) {
    const id = createId("task", minutesAgo(minutes + 5));
    const completedAt = state === "running" ? null : minutesAgo(minutes);
    await store.add(makeTask({ id, state, completedAt, folder: join(tasks, id) }));
    mkdirSync(join(tasks, id), { recursive: true });
  }
  await store.close();
  assert.equal((await clean({ isDryRun: true })).tasks.count, 1);
  assert.equal(readdirSync(tasks).length, 3);
  assert.equal((await clean()).tasks.count, 1);
  assert.equal(readdirSync(tasks).length, 2);
  assert.equal((await clean()).tasks.count, 0);
  assert.equal((await openJournalReader(folders.workdir, env).verify()).ok, true);
});

async function addAnswered(folders: Folders, days: readonly number[]): Promise<void> {
  const database = await openDatabase({ path: folders.database, clock: systemClock });
  const inbox = createSqliteInbox(database);
  const unknown = { executionId: "call_1", conversationId: null, origin: null, approval: null, owner: null } as const;
  const waits = { state: "waiting", settledAt: null, settlement: null } as const;
  for (const age of days) {
    const at = Date.now() - age * day;
    const id = createId("ask", at);
    await inbox.add({ id, kind: "question", createdAt: at, question: { text: "Which?" }, ...unknown, ...waits });
    await inbox.settle(id, { state: "answered", who: "kim", answer: null, scope: null, reason: null }, at);
  }
  await database.close();
}

async function addRuns(folders: Folders, days: readonly number[]): Promise<void> {
  const database = await openDatabase({ path: folders.database, clock: systemClock });
  const schedule = createSqliteScheduleStore(database);
  const job = makeJob();
  await schedule.addJob(job);
  for (const age of days) {
    const at = Date.now() - age * day;
    await schedule.addRun(makeRun(job, { dueAt: at, state: "succeeded", endedAt: at }));
  }
  await database.close();
}

test("settled entries of the inbox go with the calls, runs after their own time, and both are told [D4]", async (t) => {
  const { folders, env, clean } = await openOld(t);
  await addAnswered(folders, [50, 31, 29]);
  await addRuns(folders, [100, 91, 89]);
  const found = await clean({ isDryRun: true });
  assert.deepEqual([found.inbox.count, found.runs.count], [2, 2]);
  const again = await clean({ isDryRun: true, retention: { executionsDays: 10 } });
  assert.deepEqual([again.inbox.count, again.runs.count], [3, 2]);
  const report = await clean();
  assert.deepEqual([report.inbox.count, report.runs.count], [2, 2]);
  assert.deepEqual(prunedIn(folders), [
    ["executions", 2],
    ["inbox", 2],
    ["runs", 2],
    ["outputs", 2],
  ]);
  const after = await clean();
  assert.deepEqual([after.inbox.count, after.runs.count], [0, 0]);
  assert.equal((await openJournalReader(folders.workdir, env).verify()).ok, true);
});

function prunedIn(folders: Folders): unknown[] {
  const lines = readFileSync(join(folders.logs, "chat_log.jsonl"), "utf8").trimEnd().split("\n");
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => type === "pruned")
    .map(({ what, count }) => [what, count]);
}

test("several that clean at once do each other no harm [D4]", async (t) => {
  const { folders, env, clean } = await openOld(t);
  await addAnswered(
    folders,
    Array.from({ length: 300 }, () => 40),
  );
  await Promise.all([clean(), clean(), clean()]);
  const left = await clean({ isDryRun: true });
  assert.deepEqual([...counts(left), left.inbox.count], [0, 0, 0, 0, 0]);
  assert.deepEqual(readdirSync(folders.outputs).sort(), ["1.txt", "6.txt"]);
  assert.equal((await openJournalReader(folders.workdir, env).verify()).ok, true);
});
