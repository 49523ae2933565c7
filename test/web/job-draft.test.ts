import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyJob, writtenJob, type JobDraft } from "../../web/pages/schedule/job-draft.ts";

const draft: JobDraft = { ...emptyJob("Asia/Seoul"), name: " morning ", tool: "word_count" };

test("a job is written as `schedule add` reads it, with one of the three ways to say when", () => {
  assert.deepEqual(writtenJob(draft), {
    job: { name: "morning", cron: "0 9 * * 1-5", time_zone: "Asia/Seoul", tool: "word_count", input: {} },
  });
  assert.deepEqual(
    writtenJob({ ...draft, when: "every", every: "5m", what: "prompt", prompt: "Hi", allow: "read\n\n bash(ls) " }),
    {
      job: { name: "morning", every: "5m", prompt: "Hi", allow: ["read", "bash(ls)"] },
    },
  );
  assert.deepEqual(
    writtenJob({ ...draft, when: "at", at: "2027-01-01T09:00", what: "agent", agent: "claude", message: "Go" }),
    {
      job: { name: "morning", at: "2027-01-01T09:00", time_zone: "Asia/Seoul", agent: "claude", message: "Go" },
    },
  );
});

test("what is missing is said in one sentence", () => {
  const problemOf = (changes: Partial<JobDraft>): unknown => Object(writtenJob({ ...draft, ...changes })).problem;
  assert.equal(problemOf({ name: " " }), "Give the job a name.");
  assert.equal(problemOf({ tool: "" }), "Say which tool it calls.");
  assert.equal(problemOf({ input: "[1]" }), 'The input is a JSON object, such as {"text": "hello"}.');
  assert.equal(problemOf({ input: "{" }), 'The input is a JSON object, such as {"text": "hello"}.');
  assert.equal(problemOf({ what: "agent", agent: "claude" }), "Say which agent it starts, and with what message.");
});
