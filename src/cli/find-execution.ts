import type { Execution } from "../core/execution.ts";
import { isId } from "../core/ids.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import { UsageError } from "./command.ts";

/** How far back a part of an id is looked for. Page by page: records can be large. */
const lookedThrough = 1000;
const pageSize = 100;
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
  const found = await findIds(runtime, (each) => each.endsWith(part) || each.startsWith(`call_${part}`));
  if (found.length <= 1) return found[0] === undefined ? undefined : runtime.get(found[0]);
  const shown = found.slice(0, 3);
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : "";
  throw new UsageError(`"${given}" could be ${found.length} calls: ${shown.join(", ")}${more}. Give more of the id.`);
}

async function findIds(runtime: Runtime, matches: (id: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  let beforeId: string | undefined;
  for (let seen = 0; seen < lookedThrough; seen += pageSize) {
    const page = await runtime.list({ limit: pageSize, ...(beforeId === undefined ? {} : { beforeId }) });
    found.push(...page.map(({ id }) => id).filter(matches));
    beforeId = page.at(-1)?.id;
    if (page.length < pageSize) break;
  }
  return found;
}
