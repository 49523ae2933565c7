import { messageOf } from "../../core/errors.ts";
import { countOf } from "../../tools/format-bytes.ts";
import { ok, problem, warning, type Check } from "./check.ts";
import type { Subject } from "./subject.ts";

/** The database that several machines share, where the settings name one. */
export async function checkSharedStore({ configuration }: Subject): Promise<Check[]> {
  const { url } = configuration.store;
  if (url === null) return [];
  const { inspectPostgres } = await import("../../store/postgres/inspect-postgres.ts");
  try {
    const { name, version, newestVersion, workers, queuedTasks, waiting } = await inspectPostgres(url);
    if (version === 0) return [ok("shared store", `${name} is empty; whoever uses it first makes its tables.`)];
    if (version < newestVersion) {
      return [ok("shared store", `${name}: version ${version}; the next use brings it to ${newestVersion}.`)];
    }
    const found = `${name}: version ${version}, ${countOf(workers, "worker")}, ${countOf(queuedTasks, "task")} in the queue, ${countOf(waiting, "question")} for a person.`;
    if (workers === 0 && queuedTasks > 0) return [warning("shared store", found, "Start one: deckhand worker")];
    return [ok("shared store", found)];
  } catch (thrown) {
    return [problem("shared store", messageOf(thrown), 'Correct "store.url", or leave it out to work alone.')];
  }
}
