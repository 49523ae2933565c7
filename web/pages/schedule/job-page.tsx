import { pathTo } from "../../api/query.ts";
import { Json } from "../../components/code.tsx";
import { Facts } from "../../components/facts.tsx";
import { Loading, Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { Ago } from "../../components/time.tsx";
import { formatDuration } from "../../../src/core/time.ts";
import { showLine } from "../../format/show-controls.ts";
import { Link } from "../../router/link.tsx";
import { useResource } from "../../state/use-resource.ts";
import { describeWhen, describeWork, formatInZone, isSameTime, isWholeMinute, zoneOf } from "./describe-job.ts";
import { JobOrders } from "./job-orders.tsx";
import { RunHistory } from "./run-history.tsx";
import { RunStrip } from "./run-strip.tsx";
import type { JobDetail } from "./types.ts";

/** One job: when it runs next, what came of its runs, and what it may do. */
export function JobPage({ name }: { readonly name: string }) {
  const { data, error } = useResource<JobDetail>(`/api${pathTo("jobs", name)}`, { topics: ["jobs"] });
  return (
    <Page title={name} about={<Link href="/schedule">All jobs</Link>}>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {data === undefined ? error === undefined ? <Loading what={name} /> : null : <Detail job={data} />}
    </Page>
  );
}

function Detail({ job }: { readonly job: JobDetail }) {
  const { paused } = job;
  return (
    <>
      {paused === null ? null : (
        <Notice tone="warn">
          Paused by {paused.by} <Ago at={paused.at} />
          {paused.reason === null ? "." : `: ${showLine(paused.reason)}`}
        </Notice>
      )}
      {job.served === "no" ? <Notice tone="warn">Nobody starts what is due: the scheduler does not run.</Notice> : null}
      <div class="card stack section">
        <p class="job-sentence">
          <span class="mono">{describeWhen(job.when)}</span>: {showLine(describeWork(job.work))}
        </p>
        <RunStrip runs={job.runs} />
        <JobOrders job={job} />
      </div>
      <div class="columns">
        <div>
          <RunHistory name={job.name} latest={job.runs} />
        </div>
        <div>
          <Section title="Next runs">
            <NextRuns job={job} />
          </Section>
          <Section title="How it runs">
            <Facts facts={factsOf(job)} />
          </Section>
          {job.work.kind === "tool" ? (
            <Section title="Input">
              <Json value={job.work.input} label="Input" />
            </Section>
          ) : null}
        </div>
      </div>
    </>
  );
}

function NextRuns({ job }: { readonly job: JobDetail }) {
  const zone = zoneOf(job.when);
  if (job.next.length === 0)
    return <p class="muted">{job.paused === null ? "None: its time is over." : "None while it is paused."}</p>;
  const isElsewhere = job.next.some(({ at }) => !isSameTime(at, zone));
  const withSeconds = job.next.some(({ at }) => !isWholeMinute(at));
  return (
    <ol class="times">
      {job.next.map(({ at, note }) => (
        <li key={at}>
          <time dateTime={at}>{formatInZone(at, zone, withSeconds)}</time>
          {isElsewhere ? <span class="muted">{formatInZone(at, undefined, withSeconds)} here</span> : null}
          <span class="muted">
            <Ago at={at} />
          </span>
          {note === null ? null : <StateMark state="missed" tone="warn" word={note} />}
        </li>
      ))}
    </ol>
  );
}

const overlaps = {
  skip: "is skipped",
  queue_one: "waits; while one waits, later ones are skipped",
  cancel_old: "takes the place of the earlier one, which is cancelled",
  allow: "starts beside it",
} as const;

function factsOf(job: JobDetail): (readonly [string, string | null])[] {
  const { missed, grant } = job;
  const made = {
    last: "the latest one is made up for",
    none: "are not made up for",
    all: `up to ${missed.max} are made up for`,
  };
  return [
    ["time zone", zoneOf(job.when) ?? null],
    ["overlap", `a run that is due while one is under way ${overlaps[job.overlap]}`],
    [
      "missed times",
      `${made[missed.mode]}${missed.mode === "none" ? "" : `, if younger than ${formatDuration(missed.window_ms)}`}`,
    ],
    ["spread", job.jitter_ms === 0 ? null : `starts up to ${formatDuration(job.jitter_ms)} later`],
    [
      "deadline",
      job.deadline_ms === null ? null : `missed when it can't start within ${formatDuration(job.deadline_ms)}`,
    ],
    ["time limit", formatDuration(job.timeout_ms)],
    ["tried again", job.retries === 0 ? "never" : `up to ${job.retries} times`],
    [
      "paused",
      job.pause_after_failures === 0 ? "never by itself" : `after ${job.pause_after_failures} failed runs in a row`,
    ],
    ["may do", grant.allow.length === 0 ? "nothing beyond the rules" : grant.allow.join(", ")],
    ["may not do", grant.deny.length === 0 ? null : grant.deny.join(", ")],
  ];
}
