import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import type { List } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Empty, Loading, Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { RovingList } from "../../components/roving-list.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { Ago } from "../../components/time.tsx";
import { countOf } from "../../format/amount.ts";
import { showLine } from "../../format/show-controls.ts";
import { Link } from "../../router/link.tsx";
import { useRight } from "../../state/status.ts";
import { useResource } from "../../state/use-resource.ts";
import { AddJob } from "./add-job.tsx";
import { describeWhen, describeWork, formatInZone, isSameTime, zoneOf } from "./describe-job.ts";
import { JobPage } from "./job-page.tsx";
import type { JobItem } from "./types.ts";
import "./schedule.css";

/** `/schedule` and `/schedule/:name` */
export function SchedulePage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const name = params["name"];
  return name === undefined ? <JobList /> : <JobPage key={name} name={name} />;
}

function JobList() {
  const { data, error } = useResource<List<JobItem>>("/api/jobs", { topics: ["jobs"] });
  const [isAdding, setAdding] = useState(false);
  const mayApprove = useRight("approve");
  const jobs = data?.items.toSorted(byNextTime);
  const add = mayApprove ? (
    <Button kind="primary" onClick={() => setAdding(true)}>
      <Icon name="plus" />
      Add a job…
    </Button>
  ) : undefined;
  return (
    <Page title="Schedule" about={jobs === undefined ? undefined : countOf(jobs.length, "job")} actions={add}>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {jobs === undefined && error === undefined ? <Loading what="jobs" /> : null}
      {jobs?.length === 0 ? (
        <Empty title="Nothing is scheduled.">
          <code>deckhand schedule add NAME --every 15m --prompt TEXT</code> does it from a terminal.
        </Empty>
      ) : null}
      {jobs === undefined || jobs.length === 0 ? null : (
        <RovingList
          label="Jobs"
          items={jobs}
          keyOf={({ id }) => id}
          render={(job, tabIndex) => <Row job={job} tabIndex={tabIndex} />}
        />
      )}
      {isAdding ? <AddJob onClose={() => setAdding(false)} /> : null}
    </Page>
  );
}

function Row({ job, tabIndex }: { readonly job: JobItem; readonly tabIndex: number }) {
  return (
    <Link href={pathTo("schedule", job.name)} class="row-link" tabIndex={tabIndex}>
      <span class="job-name">
        <strong>{showLine(job.name)}</strong>
        {job.paused === null ? null : <StateMark state="cancelled" word="paused" tone="warn" />}
        <span class="muted mono">{describeWhen(job.when)}</span>
      </span>
      <span class="job-work">{showLine(describeWork(job.work))}</span>
      <span class="job-times">
        <NextTime job={job} />
        {job.passed_over === 0 ? null : <StateMark state="missed" word={`${job.passed_over} missed or skipped`} />}
        {job.last_run === null ? (
          <span class="muted">not run yet</span>
        ) : (
          <span class="job-last">
            <StateMark state={job.last_run.state} />
            <span class="muted">
              <Ago at={job.last_run.ended_at ?? job.last_run.due_at} />
            </span>
          </span>
        )}
      </span>
    </Link>
  );
}

/** The next time on the clocks of its zone, and on those of the reader where they show another one. */
function NextTime({ job }: { readonly job: JobItem }) {
  const { next_at, when } = job;
  if (next_at === null) return <span class="muted">{job.paused === null ? "no more runs" : "does not run"}</span>;
  const zone = zoneOf(when);
  return (
    <span>
      <span class="muted">next </span>
      <time dateTime={next_at}>{formatInZone(next_at, zone)}</time>
      {isSameTime(next_at, zone) ? null : <span class="muted"> ({formatInZone(next_at)} here)</span>}
    </span>
  );
}

function byNextTime(one: JobItem, other: JobItem): number {
  if (one.next_at === null || other.next_at === null)
    return Number(one.next_at === null) - Number(other.next_at === null);
  return one.next_at.localeCompare(other.next_at);
}
