import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import type { WorkerTimes } from "../../../src/records/postgres/tasks/worker-registry.ts";
import { commandsWith } from "../../process/support.ts";
import { afterTest } from "../../support/after-test.ts";
import type { PostgresServer } from "../../support/postgres.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { openDoor, startWorker, type Door, type WorkerProcess } from "./shared-tasks.ts";

/** A database, one who orders, and as many workers as are started, each on a machine of its own as far as the store can tell. */
export interface Machines extends Door {
  readonly address: string;
  readonly folder: string;
  readonly start: (machineId: string) => Promise<WorkerProcess>;
}

/** Nothing is lost with these. */
export const patient: WorkerTimes = { beatMs: 400, silentMs: 2000, lostMs: 300_000 };

export async function openMachines(
  t: TestContext,
  server: PostgresServer,
  { perAgent = 4, ...times }: WorkerTimes & { readonly perAgent?: number },
): Promise<Machines> {
  const address = await server.createDatabase();
  const folder = await temporaryFolder(t);
  const start = (machineId: string): Promise<WorkerProcess> =>
    startWorker(t, { address, machineId, folder: `${folder}/${machineId}`, times, perAgent });
  afterTest(t, async () => endAgents(folder));
  return { ...(await openDoor(t, address, { times })), address, folder, start };
}

/** A task that says how often it ran, and goes on when `go` is there. */
export function waiting(folder: string): string {
  return `echo run >>${folder}/runs; echo text done; echo up; until [ -e ${folder}/go ]; do sleep 0.05; done; echo ok`;
}

export function hasRun(folder: string): boolean {
  return runs(folder) > 0;
}

export function runs(folder: string): number {
  try {
    return readFileSync(`${folder}/runs`, "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}

/** What a test that failed has left at work. */
function endAgents(folder: string): void {
  for (const row of commandsWith(`${folder}/`)) {
    try {
      process.kill(Number.parseInt(row, 10), "SIGKILL");
    } catch {
      // it has ended meanwhile
    }
  }
}
