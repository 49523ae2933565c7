import type { Clock } from "../../../core/clock.ts";
import { messageOf, RuntimeError } from "../../../core/errors.ts";
import { fromKey, toKey } from "../../text-key.ts";
import type { StoreParts } from "./store-parts.ts";

/** So long the other machine may take. */
const answerMs = 10_000;
const lookMs = 50;

export interface OutputReading {
  readonly id: string;
  readonly range: unknown;
  readonly clock: Clock;
}

/** Puts a question to the machine that ran the task, and waits for its answer. */
export async function readElsewhere(parts: StoreParts, reading: OutputReading): Promise<unknown> {
  const { scope, worker, news } = parts;
  const { query } = parts.connection;
  const { id, clock } = reading;
  const find = "SELECT machine_id, folder FROM deckhand.tasks WHERE id = $1 AND scope = $2";
  const [row] = await query(find, [toKey(id), scope]);
  const machine = row?.["machine_id"];
  if (typeof machine !== "string" || machine === worker?.machineId) return undefined;
  const [request] = await query(askSql(news), [toKey(id), machine, JSON.stringify(reading.range), scope]);
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
  { connection: { query }, scope, worker }: StoreParts,
  read: (id: string, range: unknown) => Promise<unknown>,
): Promise<void> {
  if (!worker) return;
  const requests = await query(findRequests, [worker.machineId, scope]);
  for (const request of requests) {
    const answer = await answerOne(() =>
      read(fromKey(String(request["task_id"])), JSON.parse(String(request["range"]))),
    );
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

const askSql = (news: string): string => `
  INSERT INTO deckhand.output_requests (task_id, machine_id, range, scope) VALUES ($1, $2, $3, $4) RETURNING id, ${news}`;

const findRequests = `
  SELECT id, task_id, range FROM deckhand.output_requests WHERE machine_id = $1 AND scope = $2 AND answer IS NULL
  ORDER BY id LIMIT 20`;

const takeAnswer = "DELETE FROM deckhand.output_requests WHERE id = $1 AND answer IS NOT NULL RETURNING answer";
