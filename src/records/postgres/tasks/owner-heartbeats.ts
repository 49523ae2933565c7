import { hostname } from "node:os";
import type { Clock } from "../../../core/clock.ts";
import type { ProcessIdentity } from "../../../core/process.ts";
import type { SharedOwners } from "../../../core/task.ts";
import { keepBeating } from "./worker-registry.ts";
import type { PostgresConnection } from "../postgres-connection.ts";

export interface OwnerTimes {
  /** How often an owner says that it is alive, and everybody asks what time it is. */
  readonly beatMs: number;
  /** One that was silent for so long is gone. */
  readonly lostMs: number;
}

export const usualOwnerTimes: OwnerTimes = { beatMs: 5000, lostMs: 60_000 };

export interface OwnerRollOptions {
  readonly clock: Clock;
  readonly times: OwnerTimes;
  readonly identity: ProcessIdentity;
  /** For processes of this machine, which can be looked at. */
  readonly isAliveHere: (owner: ProcessIdentity) => boolean;
}

/** Processes that own runs or wait for answers, on all machines; and the time they agree on. */
export interface OwnerRoll extends SharedOwners {
  /** The database's time. Goes on by itself while that is away. */
  readonly clock: Clock;
  /** To be called before this process owns anything: from then on it says that it lives. */
  enter(): Promise<void>;
  close(): Promise<void>;
}

/** A correction that small is only how long the question took. */
const smallMs = 50;
/** What is known of others is asked again after that. */
const freshMs = 1000;

/** Resolves when the database's time is known. */
export async function openOwnerRoll(connection: PostgresConnection, options: OwnerRollOptions): Promise<OwnerRoll> {
  const { clock, times, identity, isAliveHere } = options;
  const id = keyOf(identity);
  const known = new Map<string, { readonly isAlive: boolean; readonly at: number }>();
  let base = { wall: clock.now(), at: clock.monotonic() };
  let isEntered = false;

  const now = (): number => Math.round(base.wall + clock.monotonic() - base.at);

  async function beat(): Promise<void> {
    const began = clock.monotonic();
    const [row] = isEntered
      ? await connection.query(sayAlive, [id, hostname(), times.beatMs * missedBeats], "say_alive")
      : await connection.query(askTime, [], "ask_time");
    const ended = clock.monotonic();
    const wall = Number(row?.["wall"]) + (ended - began) / 2;
    const isSlow = ended - began > freshMs;
    if (Math.abs(wall - now()) > (isSlow ? freshMs : smallMs) + (ended - began)) base = { wall, at: ended };
  }

  const beating = await keepBeating(beat, { clock, beatMs: times.beatMs });
  let entering: Promise<void> | undefined;

  async function enter(): Promise<void> {
    isEntered = true;
    await connection.query("DELETE FROM deckhand.owners WHERE seen_at < now() - interval '1 day'");
    await beat();
  }

  async function ask(owner: string): Promise<boolean> {
    // Notes first that the database was away, if it was, so that nobody is taken for silent who could not speak.
    if (isEntered) await beat();
    const [row] = await connection.query(askAlive, [owner, times.lostMs], "ask_alive");
    return row?.["alive"] === true;
  }

  return {
    clock: { now, monotonic: () => clock.monotonic(), after: (delayMs, callback) => clock.after(delayMs, callback) },
    enter() {
      entering ??= enter().catch((thrown: unknown) => {
        entering = undefined;
        throw thrown;
      });
      return entering;
    },
    async isAlive(owner) {
      if (owner.bootId === identity.bootId) return isAliveHere(owner);
      const key = keyOf(owner);
      const found = known.get(key);
      if (found && clock.monotonic() - found.at < freshMs) return found.isAlive;
      const isAlive = await ask(key);
      if (known.size > mostKnown) known.clear();
      known.set(key, { isAlive, at: clock.monotonic() });
      return isAlive;
    },
    async close() {
      await beating.stop();
      // A store that is gone has nothing to be told.
      if (isEntered) await connection.query("DELETE FROM deckhand.owners WHERE id = $1", [id]).catch(() => {});
    },
  };
}

const mostKnown = 1000;
/** When nobody at all was heard for so many beats, it was the database that was away. */
const missedBeats = 6;

function keyOf({ bootId, pid, startTime }: ProcessIdentity): string {
  return `${bootId}/${pid}/${startTime}`;
}

const wall = "extract(epoch FROM clock_timestamp())::double precision * 1000 AS wall";

const askTime = `SELECT ${wall}`;

const sayAlive = `
  WITH pulse AS (
    UPDATE deckhand.pulse SET beat_at = now(),
      resumed_at = CASE WHEN beat_at < now() - $3 * interval '1 ms' THEN now() ELSE resumed_at END)
  INSERT INTO deckhand.owners (id, host, seen_at) VALUES ($1, $2, now())
  ON CONFLICT (id) DO UPDATE SET seen_at = now() RETURNING ${wall}`;

/** A line that is missing is that of one that has left, unless everybody was away. */
const askAlive = `
  SELECT now() - greatest(
    (SELECT seen_at FROM deckhand.owners WHERE id = $1), (SELECT resumed_at FROM deckhand.pulse), pg_postmaster_start_time()
  ) < $2 * interval '1 ms' AS alive`;
