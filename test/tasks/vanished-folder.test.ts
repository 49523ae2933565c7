import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { commandsWith } from "../process/support.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openTasks, type TaskRoom } from "./support/open-tasks.ts";
import { until } from "./support/until.ts";

const longMs = 120_000;
const door = "mcp" as const;

/** A task that notes each of its runs elsewhere, and whose folder is removed while it runs. */
async function loseFolder(t: TestContext, more: object = {}): Promise<TaskRoom & { id: string; notes: string }> {
  const notes = await temporaryFolder(t);
  const room = await openTasks(t);
  const message = `echo x >>${notes}/runs; echo up; until [ -e ${notes}/go ]; do sleep 0.02; done; echo text x; echo ok`;
  const { id } = await room.manager.start({ agent: "said", message, door, ...more });
  await until(() => existsSync(join(notes, "runs")), "it runs");
  await until(async () => (await room.store.get(id))?.activeAt, "its output is read");
  rmSync(join(room.folder, "tasks", id), { recursive: true });
  return { ...room, id, notes };
}

test("a task whose folder vanishes is not started a second time, and who watches it has its true result [T6]", async (t) => {
  const { manager, id, notes, folder } = await loseFolder(t);
  writeFileSync(join(notes, "go"), "");
  const end = await manager.wait(id, longMs);
  assert.deepEqual([end.state, end.result, end.attempt], ["completed", "x", 1]);
  assert.equal(readFileSync(join(notes, "runs"), "utf8"), "x\n");
  assert.deepEqual(commandsWith(join(folder, "tasks", id)), []);
});

test("a task whose folder vanished can still be cancelled, and keeps its time limit [T7] [T8]", async (t) => {
  const cancelled = await loseFolder(t);
  assert.equal((await cancelled.manager.cancel(cancelled.id, "enough")).state, "cancelled");
  assert.deepEqual(commandsWith(join(cancelled.folder, "tasks", cancelled.id)), []);
  const late = await loseFolder(t, { timeoutMs: 3000 });
  const { state } = await late.manager.wait(late.id, longMs);
  assert.ok(state === "timeout" || state === "lost", state);
  assert.deepEqual(commandsWith(join(late.folder, "tasks", late.id)), []);
});

test("a workdir that is moved away while a task runs does not make it run twice [T6]", async (t) => {
  const { manager, id, notes, folder, store } = await loseFolder(t);
  await manager.close();
  const moved = join(notes, "moved");
  await store.close();
  renameSync(folder, moved);
  const next = await openTasks(t, {}, moved);
  await next.manager.adopt();
  writeFileSync(join(notes, "go"), "");
  const end = await next.manager.wait(id, longMs);
  assert.deepEqual([end.state, end.attempt], ["lost", 1]);
  assert.equal(
    end.error,
    "Lost: the process is gone, and how it ended is unknown. No output was found. If it has a session, you can resume it.",
  );
  assert.equal(readFileSync(join(notes, "runs"), "utf8"), "x\n");
});
