import { pathTo } from "../../api/query.ts";
import type { Call } from "../../api/types.ts";
import { RovingList } from "../../components/roving-list.tsx";
import { Ago } from "../../components/time.tsx";
import { showLine } from "../../format/show-controls.ts";
import { summarizeInput } from "../../format/summarize-call.ts";
import { formatDuration } from "../../../src/core/time.ts";
import { Link } from "../../router/link.tsx";
import { CallState } from "./running-call.tsx";

/** Calls, one line each: a link to the whole record. */
export function CallRows({ calls, label }: { readonly calls: readonly Call[]; readonly label: string }) {
  return (
    <RovingList
      label={label}
      items={calls}
      keyOf={({ id }) => id}
      render={(call, tabIndex) => (
        <Link href={pathTo("calls", call.id)} class="row-link call-row" tabIndex={tabIndex}>
          <CallState call={call} />
          <span class="row-what">
            <span class="row-name">{call.tool_id ?? call.tool_name}</span>{" "}
            <span class="mono">{summarizeInput(call.tool_input)}</span>
            {call.error === null ? null : <span class="bad"> {showLine(call.error)}</span>}
          </span>
          <span class="row-side call-took">{call.duration_ms === null ? "" : formatDuration(call.duration_ms)}</span>
          <span class="row-side call-ago">
            <Ago at={call.created_at} />
          </span>
        </Link>
      )}
    />
  );
}
