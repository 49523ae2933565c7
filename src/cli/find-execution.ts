import type { Execution } from "../core/execution.ts";
import { isId } from "../core/ids.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import { UsageError } from "./command.ts";

/** How far back a part of an id is looked for. */
const lookedThrough = 1000;
/** Ids begin with the time, so a short beginning fits them all. */
const shortestPart = 4;

/**
 * The call with this id, or the only one of the last 1,000 whose id begins or ends like this.
 * Undefined when there is none; throws a UsageError when there are several.
 */
export async function findExecution(runtime: Runtime, given: string): Promise<Execution | undefined> {
  const id = given.trim().toLowerCase();
  if (isId("call", id)) return runtime.get(id);
  if (isId("call", `call_${id}`)) return runtime.get(`call_${id}`);
  const part = id.replace(/^call_/, "");
  if (part.length < shortestPart) {
    throw new UsageError(`"${given}" is too short for an id: give at least ${shortestPart} characters of its end.`);
  }
  const recent = await runtime.list({ limit: lookedThrough });
  const found = recent.filter((execution) => execution.id.endsWith(part) || execution.id.startsWith(`call_${part}`));
  if (found.length <= 1) return found[0];
  const shown = found.slice(0, 3).map((execution) => execution.id);
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : "";
  throw new UsageError(`"${given}" could be ${found.length} calls: ${shown.join(", ")}${more}. Give more of the id.`);
}
