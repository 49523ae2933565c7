import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { fixture } from "../../process/support.ts";
import { afterTest } from "../../support/after-test.ts";
import { openTaskStore } from "./open-tasks.ts";

export interface Manager {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Resolves when it was killed, by itself or by us. */
  killHard(): Promise<void>;
}

/** What the fixture run-manager.ts is told. */
export interface ManagerPlan {
  readonly messages: readonly string[];
  readonly crashAfter?: number;
  readonly timeoutMs?: number;
  readonly strikes?: readonly ({ readonly whom: "shim" | "group"; readonly afterMs: number } | null)[];
}

/** A manager in a process of its own. */
export function runManager(t: TestContext, folder: string, plan: ManagerPlan): Manager {
  const text = JSON.stringify({ crashAfter: 0, ...plan });
  const child = spawn(process.execPath, [fixture("tasks/run-manager.ts"), folder, text], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = once(child, "close");
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => void lines.push(line));
  const killHard = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
  };
  afterTest(t, killHard);
  return { child, lines, killHard };
}

/** Counts in the database itself how often each task was brought to its end, whoever did it. */
export async function countEnds(t: TestContext, folder: string): Promise<(id: string) => number> {
  const store = await openTaskStore(t, folder);
  await store.close();
  const raw = new DatabaseSync(join(folder, "deckhand.db"));
  afterTest(t, async () => raw.close());
  raw.exec(`
    CREATE TABLE ends (task_id TEXT);
    CREATE TRIGGER note_end AFTER UPDATE ON tasks WHEN new.state NOT IN ('queued', 'running')
    BEGIN INSERT INTO ends VALUES (new.id); END`);
  return (id) => Number(raw.prepare("SELECT count(*) AS count FROM ends WHERE task_id = ?").get(id)!["count"]);
}

/** The ids of orders that were taken. */
export function startedIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => (line.startsWith("started ") ? [line.split(" ")[1]!] : []));
}
