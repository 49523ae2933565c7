import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isFinalTask, type Task } from "../../src/core/task.ts";
import { commandsWith } from "../process/support.ts";
import { count } from "../support/counts.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { countEnds, runManager, startedIn, type Manager } from "./support/killed-managers.ts";
import { openTasks } from "./support/open-tasks.ts";
import { until } from "./support/until.ts";

const longMs = 180_000;
/** One task each, in this order. */
const victims = ["shim", "group", "agent", "server"] as const;
type Victim = (typeof victims)[number];
/** What a run comes to, one after the other: the server and the agent are killed when it is there. */
const steps = [/^began$/, /^meta\.json$/, /^guard$/, /text/, /^exit\.json$/] as const;

test("kill -9 of server, shim, agent or all of them at every step: one run, one true end, nothing left [T6]", async (t) => {
  const ends = new Map<string, number>();
  for (let round = 0; round < count({ quick: 3, full: 50 }); round++) {
    const folder = await temporaryFolder(t);
    const endsOf = await countEnds(t, folder);
    const messages = victims.map((victim) => scriptOf(folder, victim));
    // A shim starts its program within a few milliseconds.
    const afterMs = ((round * 7) % 50) / 4;
    const strikes = [{ whom: "shim", afterMs } as const, { whom: "group", afterMs } as const, null, null];
    const manager = runManager(t, folder, { messages, strikes });
    const step = steps[round % steps.length]!;
    await strike(folder, { victim: "agent", step, manager });
    await strike(folder, { victim: "server", step, manager });

    const next = await openTasks(t, {}, folder);
    const kept = (await next.store.list({ limit: 99 })).toReversed();
    const lost = startedIn(manager.lines).filter((id) => !kept.some((task) => task.id === id));
    assert.deepEqual(lost, [], "what was promised is kept");
    await next.manager.adopt();
    for (const [at, { id }] of kept.entries()) {
      const end = await next.manager.wait(id, longMs);
      checkEnd(folder, end, victims[at]!);
      assert.equal(endsOf(id), 1, "one completion");
      const kind = `${victims[at]} ${end.state}`;
      ends.set(kind, (ends.get(kind) ?? 0) + 1);
    }
    await next.manager.close();
    assert.deepEqual(commandsWith(join(folder, "tasks")), []);
  }
  t.diagnostic([...ends].map(([kind, times]) => `${kind}: ${times}`).join(", "));
});

function scriptOf(folder: string, victim: Victim): string {
  return `echo x >>${folder}/runs-${victim}; echo text "of ${victim}"; sleep 0.2; echo ok`;
}

interface Strike {
  readonly victim: "agent" | "server";
  readonly step: RegExp;
  readonly manager: Manager;
}

/** Kills as soon as the step is there, or at once when it has passed. */
async function strike(folder: string, { victim, step, manager }: Strike): Promise<void> {
  let run: string | undefined;
  await until(() => {
    run ??= runFolderOf(folder, victim);
    return run !== undefined && (readdirSync(run).some((name) => step.test(name)) || step.test(textOf(run, "stdout")));
  }, `the task of the ${victim} comes to ${step}`);
  if (victim === "server") return manager.killHard();
  for (const row of commandsWith(run!).filter((each) => !each.includes("deckhand-task"))) {
    try {
      process.kill(Number(/\d+/.exec(row)![0]), "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

/** The script is written before anything is started. */
function runFolderOf(folder: string, victim: Victim): string | undefined {
  const tasks = join(folder, "tasks");
  const runs = existsSync(tasks) ? readdirSync(tasks).map((id) => join(tasks, id, "run-1")) : [];
  return runs.find((run) => textOf(run, "script").includes(`/runs-${victim};`));
}

function checkEnd(folder: string, end: Task, victim: Victim): void {
  const what = `${victim} killed: ${end.state}, ${end.error}`;
  const runs = textOf(folder, `runs-${victim}`);
  const hasAnswered = /^ok$/m.test(textOf(join(end.folder, `run-${end.attempt}`), "stdout"));
  assert.ok(isFinalTask(end.state), what);
  assert.ok(runs === "" || runs === "x\n", `${what}: it ran more than once`);
  if (hasAnswered) assert.deepEqual([end.state, end.result], ["completed", `of ${victim}`], what);
  else assert.ok(end.state === "failed" || end.state === "lost", what);
  // An agent that nobody touched goes on to its answer, whoever else was killed.
  if (victim === "server" || (victim === "shim" && runs !== "")) assert.equal(end.state, "completed", what);
}

function textOf(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch {
    return "";
  }
}
