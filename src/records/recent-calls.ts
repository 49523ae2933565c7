import { beginningOfIds } from "../core/ids.ts";
import type { Execution } from "../core/call.ts";
import { timeToWire } from "../core/wire.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** How a tool did of late, as it is shown. */
export interface RecentCalls {
  readonly recent_calls: number;
  readonly recent_errors: number;
  readonly last_error: { readonly id: string; readonly at: unknown; readonly error: string | null } | null;
}

/** Input that was wrong is a mistake of the caller: the tool never ran. */
function isFailureOfTool({ state, errorType, runPhase }: Execution): boolean {
  if (errorType === "invalid_input" && runPhase === "not_started") return false;
  return state === "failed" || state === "timeout";
}

const dayMs = 24 * 60 * 60 * 1000;
/** Of all tools together. */
const mostRead = 500;

/** Among the last 500 calls of the last day. */
export async function readRecentCalls(
  { list }: Pick<Runtime, "list">,
  now: number,
): Promise<(tool: string) => RecentCalls> {
  const calls = await list({ afterId: beginningOfIds("call", now - dayMs), limit: mostRead });
  const byTool = Map.groupBy(calls, ({ toolId, toolName }) => toolId ?? toolName);
  return (tool) => {
    const own = byTool.get(tool) ?? [];
    const failed = own.filter(isFailureOfTool);
    const [last] = failed;
    return {
      recent_calls: own.length,
      recent_errors: failed.length,
      last_error: last ? { id: last.id, at: timeToWire(last.createdAt), error: last.error } : null,
    };
  };
}
