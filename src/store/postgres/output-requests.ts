import type { Clock } from "../../core/clock.ts";
import { messageOf, RuntimeError } from "../../core/errors.ts";
import { channel } from "./listen.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** So long the other machine may take. */
const answerMs = 10_000;
const lookMs = 50;

export interface OutputReading {
  readonly id: string;
  readonly range: unknown;
  readonly clock: Clock;
  readonly machineId: string | null;
}

/** Puts a question to the machine that ran the task, and waits for its answer. */
export async function readElsewhere({ query }: PostgresConnection, reading: OutputReading): Promise<unknown> {
  const { id, clock } = reading;
  const [row] = await query("SELECT machine_id, folder FROM deckhand.tasks WHERE id = $1", [id]);
  const machine = row?.["machine_id"];
  if (typeof machine !== "string" || machine === reading.machineId) return undefined;
  const [request] = await query(ask, [id, machine, JSON.stringify(reading.range)]);
  const until = clock.monotonic() + answerMs;
  for (;;) {
    const [answered] = await query(takeAnswer, [request!["id"]]);
    if (answered) return readAnswer(String(answered["answer"]));
    if (clock.monotonic() > until) break;
    await new Promise<void>((resolve) => clock.after(lookMs, resolve));
  }
  await query("DELETE FROM deckhand.output_requests WHERE id = $1", [request!["id"]]);
  throw new RuntimeError(
    "STORE_UNAVAILABLE",
    `The machine "${machine}", which ran ${id}, does not respond. Restart its worker, or read ${String(row?.["folder"])} there.`,
  );
}

export async function answerReaders(
  { query }: PostgresConnection,
  machineId: string,
  read: (id: string, range: unknown) => Promise<unknown>,
): Promise<void> {
  const requests = await query(
    "SELECT id, task_id, range FROM deckhand.output_requests WHERE machine_id = $1 AND answer IS NULL ORDER BY id LIMIT 20",
    [machineId],
  );
  for (const request of requests) {
    const answer = await answerOne(() => read(String(request["task_id"]), JSON.parse(String(request["range"]))));
    await query("UPDATE deckhand.output_requests SET answer = $2 WHERE id = $1 AND answer IS NULL", [
      request["id"],
      JSON.stringify(answer),
    ]);
  }
}

interface Answer {
  readonly output?: unknown;
  readonly error?: string;
}

async function answerOne(read: () => Promise<unknown>): Promise<Answer> {
  try {
    return { output: await read() };
  } catch (thrown) {
    return { error: messageOf(thrown) };
  }
}

function readAnswer(text: string): unknown {
  const { output, error } = JSON.parse(text) as Answer;
  if (error !== undefined) throw new RuntimeError("TASK_UNKNOWN", error);
  return output;
}

const ask = `
  INSERT INTO deckhand.output_requests (task_id, machine_id, range) VALUES ($1, $2, $3)
  RETURNING id, pg_notify('${channel}', '')`;

const takeAnswer = "DELETE FROM deckhand.output_requests WHERE id = $1 AND answer IS NOT NULL RETURNING answer";
