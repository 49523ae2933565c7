import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "../../../core/clock.ts";
import { RuntimeError } from "../../../core/errors.ts";
import type { ProcessIdentity } from "../../../core/process.ts";
import { toKey } from "../../store-rules.ts";
import type { PostgresConnection } from "../postgres-connection.ts";

/** This process, as a worker of one project. */
export interface Worker {
  /** Its machine; the same after each restart, and no other machine's. */
  readonly machineId: string;
  readonly identity: ProcessIdentity;
  /** Where tasks have their folders on this machine; a real path. */
  readonly folder: string;
  /** The agents that it has; left out: it does not tell, and may have any. */
  readonly agents?: readonly string[];
}

/** The worker's line in the roll of all workers. */
export interface RollEntry {
  readonly workerId: string;
  /** Ends its line, so that what it left can be adopted at once. */
  close(): Promise<void>;
}

interface RollOptions {
  readonly clock: Clock;
  readonly times: WorkerTimes;
  /** The project whose tasks it takes, as it is kept. */
  readonly scope: string;
}

/** Enters this process, and says from then on that it is alive. Rejects when another machine works under the same name. */
export async function enterRoll(
  connection: PostgresConnection,
  worker: Worker,
  { clock, times, scope }: RollOptions,
): Promise<RollEntry> {
  const workerId = randomUUID();
  const { machineId, identity } = worker;
  await refuseTwin(connection, worker, { clock, times, scope });
  const agents = worker.agents?.map(toKey) ?? null;
  const line = [workerId, machineId, hostname(), identity.bootId, identity.pid, agents, scope];
  const beating = await keepBeating(
    async () => {
      // After a long silence the line may be gone.
      await connection.query(upsert, line);
    },
    { clock, beatMs: times.beatMs },
  );

  return {
    workerId,
    async close() {
      await beating.stop();
      // A store that is gone has nothing to be told.
      await connection.query("DELETE FROM deckhand.workers WHERE id = $1", [workerId]).catch(() => {});
    },
  };
}

const upsert = `
  INSERT INTO deckhand.workers (id, machine_id, host, boot_id, pid, agents, scope, seen_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, now())
  ON CONFLICT (id) DO UPDATE SET seen_at = now()`;

/**
 * A folder that was copied to another machine brings its machine's id along, and both would adopt each other's tasks. Workers of one
 * machine share a boot, so one of another boot is either dead, and then silent soon, or a twin.
 */
async function refuseTwin(
  { query, name }: PostgresConnection,
  { machineId, identity }: Worker,
  { clock, times, scope }: RollOptions,
): Promise<void> {
  let first: unknown;
  for (;;) {
    const [twin] = await query(findTwin, [machineId, identity.bootId, times.silentMs, scope]);
    if (!twin) return;
    first ??= twin["seen"];
    if (twin["seen"] !== first) {
      throw new RuntimeError(
        "CONFIG_INVALID",
        `Another machine (${String(twin["host"])}) works on the tasks of ${name} as "${machineId}" too: give this one a name of its own.`,
      );
    }
    await new Promise<void>((resolve) => clock.after(times.beatMs / 5, resolve));
  }
}

const findTwin = `
  SELECT host, seen_at::text AS seen FROM deckhand.workers
  WHERE scope = $4 AND machine_id = $1 AND boot_id <> $2 AND seen_at > now() - $3 * interval '1 ms'
  ORDER BY seen_at DESC LIMIT 1`;

/** How long whoever works on tasks may be silent. */
export interface WorkerTimes {
  /** How often a worker says that it is alive. */
  readonly beatMs: number;
  /** A worker that was silent for so long watches nothing any more. */
  readonly silentMs: number;
  /** A task that nobody has watched for so long is lost. */
  readonly lostMs: number;
}

/** Noticed at the latest after 15 s: silence, half a beat until somebody looks, and something for a slow server. */
export const usualWorkerTimes: WorkerTimes = { beatMs: 5000, silentMs: 10_000, lostMs: 60_000 };

export interface Beating {
  /** Resolves when the beat under way, if any, has ended. */
  stop(): Promise<void>;
}

/**
 * Beats once, and from then on for ever. Rejects when the first beat does. One that fails later is tried again sooner: whoever needs
 * the store is told that it is gone, and it may be back at any moment.
 */
export async function keepBeating(
  beat: () => Promise<void>,
  { clock, beatMs }: { readonly clock: Clock; readonly beatMs: number },
): Promise<Beating> {
  let isStopped = false;
  let cancel = (): void => {};
  let beating: Promise<void> = beat();
  await beating;

  function beatAgain(delayMs: number): void {
    if (isStopped) return;
    cancel = clock.after(delayMs, () => {
      beating = beat().then(
        () => beatAgain(beatMs),
        () => beatAgain(beatMs / 5),
      );
    });
  }
  beatAgain(beatMs);

  return {
    async stop() {
      isStopped = true;
      cancel();
      await beating;
    },
  };
}
