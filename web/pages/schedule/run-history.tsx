import { pathTo, withQuery } from "../../api/query.ts";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { Section } from "../../components/page.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { showLine } from "../../format/show-controls.ts";
import { formatDuration } from "../../../src/core/time.ts";
import { Link } from "../../router/link.tsx";
import { usePages } from "../../state/use-pages.ts";
import { formatInZone } from "./describe-job.ts";
import type { Run } from "./types.ts";

const pageSize = 50;

/** Its runs, latest first; also those that were missed or skipped, with the reason. `latest`: those that are known already. */
export function RunHistory({ name, latest }: { readonly name: string; readonly latest: readonly Run[] }) {
  const path = withQuery(`/api${pathTo("jobs", name, "history")}`, { limit: pageSize });
  const { items, error, hasMore, isLoadingMore, loadMore } = usePages<Run>(path, { topics: ["jobs"] });
  const runs = items ?? latest;
  if (runs.length === 0) return null;
  return (
    <Section title="History">
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      <ol class="rows runs">
        {runs.map((run) => (
          <li key={run.id} class="row">
            <span class="run-head">
              <StateMark state={run.state} />
              <time dateTime={run.due_at}>{formatInZone(run.due_at)}</time>
              <span class="muted">{detailsOf(run).join(", ")}</span>
              <RunLinks run={run} />
              {run.summary === null ? null : <span class="run-summary">{showLine(run.summary)}</span>}
            </span>
            {run.reason === null ? null : <span>{showLine(run.reason)}</span>}
          </li>
        ))}
      </ol>
      {hasMore ? (
        <Button isBusy={isLoadingMore} onClick={loadMore}>
          Older runs
        </Button>
      ) : null}
    </Section>
  );
}

function detailsOf(run: Run): string[] {
  const details: string[] = [];
  if (run.trigger === "person") details.push("wanted by a person");
  if (run.trigger === "catch_up") details.push("made up for");
  if (run.started_at !== null && run.ended_at !== null) {
    details.push(
      `${run.attempt > 1 ? "last try took" : "took"} ${formatDuration(Date.parse(run.ended_at) - Date.parse(run.started_at))}`,
    );
  }
  if (run.attempt > 1) details.push(`attempt ${run.attempt}`);
  if (run.span !== null) {
    details.push(
      `${run.span.count === null ? "all" : `all ${run.span.count}`} since ${formatInZone(run.span.from_at)}`,
    );
  }
  return details;
}

function RunLinks({ run }: { readonly run: Run }) {
  if (run.execution_id !== null) return <Link href={`/calls/${run.execution_id}`}>its call</Link>;
  if (run.task_id !== null) return <Link href={`/tasks/${run.task_id}`}>its task</Link>;
  return run.session_id === null ? null : <code class="muted">{run.session_id}</code>;
}
