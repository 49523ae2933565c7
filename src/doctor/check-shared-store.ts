import { messageOf } from "../core/errors.ts";
import { scopeOf } from "../config/folders.ts";
import { countOf } from "../tools/format-bytes.ts";
import { ok, problem, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

/** The database that several machines share, where the settings name one. */
export async function checkSharedStore({ configuration, folders }: Subject): Promise<Check[]> {
  const { url } = configuration.store;
  if (url === null) return [];
  const { inspectPostgres } = await import("../records/postgres/inspect-postgres.ts");
  try {
    const scope = scopeOf(configuration, folders);
    const state = await inspectPostgres(url, scope);
    const { name, version, newestVersion, workers, queuedTasks, waiting, unassignedTasks } = state;
    if (version === 0) return [ok("shared store", `${name} is empty; whoever uses it first makes its tables.`)];
    if (version < newestVersion) {
      return [ok("shared store", `${name}: version ${version}; the next use brings it to ${newestVersion}.`)];
    }
    const found = `${name}: version ${version}; project ${scope}: ${countOf(workers, "worker")}, ${countOf(queuedTasks, "task")} in the queue, ${countOf(waiting, "question")} for a person.`;
    const rows = [
      workers === 0 && queuedTasks > 0
        ? warning("shared store", found, "Start one: deckhand worker")
        : ok("shared store", found),
    ];
    if (unassignedTasks > 0) {
      const left = `An earlier version left ${countOf(unassignedTasks, "task")} without a project.`;
      rows.push(warning("shared store", left, "To see them: DECKHAND_STORE_SCOPE=unassigned deckhand tasks"));
    }
    return rows;
  } catch (thrown) {
    return [problem("shared store", messageOf(thrown), 'Correct "store.url", or leave it out to work alone.')];
  }
}
