import assert from "node:assert/strict";
import test from "node:test";
import { statusOfTask, type Task } from "../../src/core/task.ts";
import { makeTask } from "../contract/make-task.ts";

function said(given: Partial<Task> | undefined, elapsedMs = 0): string {
  const task = given && makeTask(given);
  return JSON.stringify(statusOfTask(task, (task?.createdAt ?? 0) + elapsedMs));
}

test("a task that has not ended is running, in whole seconds since it was ordered, also while it waits for its turn [T2]", () => {
  assert.equal(said({ state: "running" }, 120_999), '{"status":"running","elapsed_time":120}');
  assert.equal(said({ state: "queued" }, 3000), '{"status":"running","elapsed_time":3}');
});

test("a clock that was set back makes no negative time [T2]", () => {
  assert.equal(said({ state: "running" }, -5000), '{"status":"running","elapsed_time":0}');
});

test("a completed task has its result, also an empty one [T2]", () => {
  assert.equal(said({ state: "completed", result: "All done." }), '{"status":"completed","result":"All done."}');
  assert.equal(said({ state: "completed", result: null }), '{"status":"completed","result":""}');
});

test("failed, cancelled, timed out and lost tasks are failed with their reason, and never without one [T2, T6]", () => {
  for (const state of ["failed", "cancelled", "timeout", "lost"] as const) {
    assert.equal(said({ state, error: "Why it did." }), '{"status":"failed","error":"Why it did."}');
  }
  assert.equal(
    said({ state: "failed", error: null }),
    '{"status":"failed","error":"The agent failed, and nothing says why."}',
  );
  assert.equal(said({ state: "cancelled", error: "" }), '{"status":"failed","error":"The task was cancelled."}');
  assert.equal(said({ state: "timeout" }), '{"status":"failed","error":"The task was stopped: its time was over."}');
  assert.equal(said({ state: "lost" }), '{"status":"failed","error":"Server restarted"}');
});

test("a task that is not there is not found [T2]", () => {
  assert.equal(said(undefined), '{"status":"not_found","error":"Task ID not found or expired."}');
});
