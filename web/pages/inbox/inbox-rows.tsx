import type { InboxEntry } from "../../api/types.ts";
import { RovingList } from "../../components/roving-list.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { Ago } from "../../components/time.tsx";
import { showLine } from "../../format/show-controls.ts";
import { Link } from "../../router/link.tsx";
import { navigate } from "../../router/location.ts";
import { titleOf } from "./title-of.ts";

interface InboxRowsProps {
  readonly entries: readonly InboxEntry[];
  readonly current: string | undefined;
  readonly hrefOf: (id: string) => string;
}

export function InboxRows({ entries, current, hrefOf }: InboxRowsProps) {
  return (
    <RovingList
      label="Inbox"
      items={entries}
      keyOf={({ id }) => id}
      start={current}
      onMove={({ id }) => navigate(hrefOf(id), { replace: true })}
      render={(entry, tabIndex) => (
        <Link href={hrefOf(entry.id)} class="row-link" current={entry.id === current} tabIndex={tabIndex}>
          <span class="task-row-head">
            {entry.approval?.is_danger ? <span class="tag bad">danger</span> : <span class="tag">{entry.kind}</span>}
            {entry.state === "waiting" ? null : <StateMark state={entry.state} />}
            {entry.origin?.job_name ? <span class="muted">job {showLine(entry.origin.job_name)}</span> : null}
            <span class="grow" />
            <span class="row-side">
              <Ago at={entry.created_at} />
            </span>
          </span>
          <span class="inbox-title">{titleOf(entry)}</span>
        </Link>
      )}
    />
  );
}
