import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { openNamedTokens } from "../../src/daemon/access/named-tokens.ts";
import { until } from "../support/runtime.ts";
import { openDaemon, type DaemonUnderTest } from "./support/daemon.ts";

interface Program {
  /** Asks for `touch FILE` in that conversation; says how it stands as soon as it ended or waits for a person. */
  touch(file: string, conversation: string): Promise<Called>;
}

interface Called {
  readonly id: string;
  readonly state: string;
  readonly by: string | null;
  readonly conversation: string | null;
}

/** A program with a token that may read and run. */
function openProgram({ ask, folders, runtime }: DaemonUnderTest, name: string): Program {
  const token = openNamedTokens(folders.state).add(name, ["read", "run"], 0);
  const headers = { authorization: `Bearer ${token}` };
  return {
    async touch(file, conversation) {
      const body = { input: { command: `touch ${file}` }, conversation, wait_ms: 0 };
      const { id } = (await ask({ path: "/api/tools/bash/call", body, headers })).json() as { readonly id: string };
      return until("it ended or waits", async () => {
        const call = await runtime.get(id);
        const waits = await runtime.inbox.list({ states: ["waiting"] });
        const isSettled = call!.completedAt !== null || waits.some(({ executionId }) => executionId === id);
        const { state, permission, conversationId } = call!;
        return isSettled && { id, state, by: permission?.by ?? null, conversation: conversationId };
      });
    },
  };
}

/** A person's yes to what that call waits for, for as long as its conversation lasts. */
async function approveInConversation({ ask, runtime }: DaemonUnderTest, callId: string): Promise<void> {
  const entry = await until("the question", async () =>
    (await runtime.inbox.list({ states: ["waiting"] })).find(({ executionId }) => executionId === callId),
  );
  const { status } = await ask({ path: `/api/inbox/${entry.id}/approve`, body: { scope: "conversation" } });
  assert.equal(status, 200);
}

/** Runs until the daemon is closed. Resolves to its conversation. */
async function startJob({ runtime }: DaemonUnderTest): Promise<string> {
  const schedule = await runtime.schedule();
  const command = "sleep 600";
  await schedule.add({ name: "long", every: "1d", tool: "bash", input: { command }, allow: ["bash"] }, { by: "kim" });
  await schedule.runNow("long", { by: "kim" });
  const [call] = await until("the job's call runs", async () => {
    const running = await runtime.list({ states: ["running"] });
    return running.length > 0 && running;
  });
  assert.equal(call!.door, "schedule");
  return call!.conversationId!;
}

test("a program that may only run can't name a job's conversation to run by the job's grant [G6]", async (t) => {
  const world = await openDaemon(t);
  const jobId = await startJob(world);
  const { id, ...called } = await openProgram(world, "robot").touch("made", jobId);
  assert.deepEqual(called, { state: "pending", by: null, conversation: `robot:${jobId}` });
  const [entry] = await world.runtime.inbox.list({ states: ["waiting"] });
  assert.deepEqual([entry!.executionId, entry!.origin?.jobName], [id, null]);
  assert.equal(existsSync(join(world.folders.workdir, "made")), false);
});

test("a job's grant is for its own calls, whoever else gets into its conversation [G6]", async (t) => {
  const world = await openDaemon(t);
  const conversationId = await startJob(world);
  for (const door of ["daemon", "mcp", "chat"] as const) {
    const call = world.runtime.call("bash", { command: "touch made" }, { door, conversationId });
    const entry = await until("the question", async () => {
      const waiting = await world.runtime.inbox.list({ states: ["waiting"] });
      return waiting.find(({ executionId }) => executionId === call.id);
    });
    assert.deepEqual(entry.origin, { door, toolName: "bash", jobName: null });
    await world.runtime.inbox.decide(entry.id, { allow: false }, "kim");
    assert.equal((await call).state, "cancelled", door);
  }
  const own = await world.runtime.call("bash", { command: "touch made" }, { door: "agent", conversationId });
  assert.deepEqual([own.state, own.permission?.by], ["completed", "grant"]);
});

test("what a person allows in a session, or to one program, no other program can use by naming it [G6]", async (t) => {
  const world = await openDaemon(t);
  const robot = openProgram(world, "robot");
  const session = "ses_01a1e3a3-35eb-728c-b336-9eeba4176f0d";
  const inSession = world.runtime.call("bash", { command: "touch made" }, { door: "agent", conversationId: session });
  await approveInConversation(world, inSession.id);
  assert.equal((await inSession).state, "completed");
  assert.equal((await robot.touch("made", session)).state, "pending");

  const first = await robot.touch("build", "nightly");
  await approveInConversation(world, first.id);
  await until("it ran", async () => (await world.runtime.get(first.id))!.state === "completed");
  const { id: _, ...second } = await robot.touch("build", "nightly");
  assert.deepEqual(second, { state: "completed", by: "grant", conversation: "robot:nightly" });
  const other = openProgram(world, "other");
  for (const name of ["nightly", "robot:nightly"]) assert.equal((await other.touch("build", name)).state, "pending");
});
