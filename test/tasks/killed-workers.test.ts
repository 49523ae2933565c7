import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Task, TaskStore } from "../../src/core/task.ts";
import { commandsWith } from "../process/support.ts";
import { count } from "../support/counts.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { openMachines, patient } from "./support/machines.ts";
import { until } from "./support/until.ts";

const machines = ["a", "b", "c"];

describe("workers that are killed again and again", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  test("kill -9 of workers and agents: each task runs at most once and has one true end [T4] [T6]", async (t) => {
    const { manager, store, folder, address, start } = await openMachines(t, server, { ...patient, perAgent: 2 });
    await server.query(address, noteEnds);
    const done = `${folder}/done`;
    const message = (number: number): string => `echo ${number} >>${done}; sleep 0.3; echo text ${number}; echo ok`;
    const ordered: Task[] = [];
    const order = async (): Promise<void> => {
      const numbers = Array.from({ length: 10 }, (_, index) => ordered.length + index);
      const orders = numbers.map((number) => manager.start({ agent: "said", message: message(number), door: "mcp" }));
      ordered.push(...(await Promise.all(orders)));
    };
    const workers = await Promise.all(machines.map(start));
    const restart = async (at: number): Promise<void> => {
      await workers[at]!.kill();
      workers[at] = await start(machines[at]!);
    };
    const struck = new Set<string>();
    for (let round = 0; round < count({ quick: 3, full: 50 }); round += 1) {
      const ran = numbersIn(done).length;
      await order();
      await until(() => numbersIn(done).length > ran, "the next one");
      await killAgent(store, struck);
      await Promise.all([restart(round % 3), restart((round + 1) % 3)]);
    }
    await until(async () => (await store.count({ states: ["queued", "running"] })) === 0, "the end of all");
    t.diagnostic(`of ${ordered.length} tasks ${struck.size} were killed themselves`);

    const times = Map.groupBy(numbersIn(done), (number) => number);
    for (const [number, { id }] of ordered.entries()) {
      const { state, result } = (await store.get(id))!;
      const ran = times.get(number)?.length ?? 0;
      if (!struck.has(id)) assert.deepEqual([state, result, ran], ["completed", String(number), 1], id);
      // Whoever was killed may have said all it had to say, or not even have begun with it.
      else
        assert.ok(
          ["completed", "failed", "lost"].includes(state) && ran <= 1,
          `${id} is ${state}, and ran ${ran} times`,
        );
    }
    const ends = await server.query(
      address,
      "SELECT id, count(*)::int AS ends FROM public.ends GROUP BY id ORDER BY id",
    );
    assert.deepEqual(
      ends.map((row) => [row["id"], row["ends"]]),
      ordered.map(({ id }) => [id, 1]).sort(([one], [two]) => (one! < two! ? -1 : 1)),
    );
    await until(() => commandsWith(`${folder}/`).every((row) => row.includes("worker.ts")), "that nothing is left");
  });
});

/** One of those that run now, with all that it has started. */
async function killAgent(store: TaskStore, struck: Set<string>): Promise<void> {
  const running = await store.list({ states: ["running"], limit: 9 });
  const victim = running.find(({ process }) => process !== null);
  if (!victim) return;
  struck.add(victim.id);
  try {
    process.kill(-victim.process!.sessionPid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

function numbersIn(path: string): number[] {
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").map(Number) : [];
}

const noteEnds = `
  CREATE TABLE public.ends (id text);
  CREATE FUNCTION public.note_end() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO public.ends VALUES (NEW.id); RETURN NULL; END $$;
  CREATE TRIGGER note_end AFTER UPDATE ON deckhand.tasks FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state AND NEW.state NOT IN ('queued', 'running')) EXECUTE FUNCTION public.note_end()`;
