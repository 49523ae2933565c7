import { pathTo } from "../../api/query.ts";
import { Diff } from "../../components/diff.tsx";
import { Facts } from "../../components/facts.tsx";
import { Loading, Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Ago } from "../../components/time.tsx";
import { showLine } from "../../format/show-controls.ts";
import { Link } from "../../router/link.tsx";
import { useResource } from "../../state/use-resource.ts";
import { Comparison } from "./comparison.tsx";
import { EarlierVersions } from "./earlier-versions.tsx";
import { Orders } from "./rollout-orders.tsx";
import { RolloutCharts } from "./rollout-charts.tsx";
import { RolloutHistory } from "./rollout-history.tsx";
import { RolloutState } from "./rollout-state.tsx";
import { Stages } from "./stages.tsx";
import type { Replay, RolloutDetail } from "./types.ts";
import "./rollouts.css";

/** One tool file: what speaks for and against the version that is tried, and what a person can say about it. */
export function RolloutPage({ tool }: { readonly tool: string }) {
  const path = `/api${pathTo("rollouts", tool)}`;
  const { data, error } = useResource<RolloutDetail>(path, { topics: ["rollouts"], everyMs: 5000 });
  return (
    <Page title={tool} about={<Link href="/rollouts">All rollouts</Link>}>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {data === undefined ? error === undefined ? <Loading what={tool} /> : null : <Detail detail={data} />}
    </Page>
  );
}

const origins = {
  person: "a person's edit",
  agent: "changed during a call or task",
  improve: "made by improve",
} as const;

function Detail({ detail }: { readonly detail: RolloutDetail }) {
  const { view, release, harm, corrections, history, diff } = detail;
  const { rollout } = release;
  return (
    <>
      <div class="card stack section">
        <div class="rollout-standing">
          <RolloutState view={view} />
          <Stages view={view} />
        </div>
        <p class="rollout-sentence">{showLine(view.reason)}</p>
        <Orders view={view} release={release} />
      </div>
      <RolloutCharts detail={detail} />
      <div class="side-by-side">
        <Comparison detail={detail} />
        <Section title="Versions">
          <Facts
            facts={[
              ["file", <code key="file">{view.file}</code>],
              ["stable", <Version key="stable" name={view.stable} since={view.stable_since} />],
              [
                "canary",
                view.canary === null ? null : <Version key="canary" name={view.canary} since={view.started_at} />,
              ],
              ["origin", rollout === null ? null : origins[rollout.origin]],
              ["risk", rollout?.risk ?? null],
              ["mode", view.mode === "off" ? "a person's edits are live at once" : "every edit is tried first"],
            ]}
          />
          <EarlierVersions view={view} release={release} />
          {rollout?.replay ? <ReplayReport replay={rollout.replay} /> : null}
          {harm && harm.harmed + harm.saved > 0 ? (
            <>
              <p class="after">
                Failed calls of it that reached whoever had asked: {harm.harmed}; that stable answered instead:{" "}
                {harm.saved}.
              </p>
              <ul class="plain-list">
                {harm.calls.slice(0, 5).map(({ execution_id, error }) => (
                  <li key={execution_id}>
                    <Link href={`/log?call=${execution_id}`}>
                      <code>{execution_id.slice(-12)}</code>
                    </Link>{" "}
                    {showLine(error)}
                  </li>
                ))}
              </ul>
            </>
          ) : null}
          {corrections ? <CorrectionCounts corrections={corrections} /> : null}
        </Section>
      </div>
      {diff === null || diff === "" ? null : (
        <Section title="What is different" about="from stable to canary">
          <Diff text={diff} />
        </Section>
      )}
      <RolloutHistory events={history} />
    </>
  );
}

function Version({ name, since }: { readonly name: string; readonly since: string | null }) {
  return (
    <>
      <code>{name}</code>
      {since === null ? null : (
        <span class="muted">
          {" "}
          since <Ago at={since} />
        </span>
      )}
    </>
  );
}

function CorrectionCounts({ corrections }: { readonly corrections: NonNullable<RolloutDetail["corrections"]> }) {
  const { canary, stable } = corrections;
  const count = ({ undo, feedback }: typeof canary): string =>
    undo + feedback === 0 ? "0" : `${undo + feedback} (${undo} /undo, ${feedback} feedback)`;
  if (canary.undo + canary.feedback + stable.undo + stable.feedback === 0) return null;
  return (
    <p class="after">
      Corrections by users: {count(canary)} of the canary, {count(stable)} of stable.
    </p>
  );
}

function ReplayReport({ replay }: { readonly replay: Replay }) {
  const { cases, passed, flips, skipped } = replay;
  return (
    <>
      <p class="after">
        Replay: {cases === 0 ? "nothing was tried" : `${passed} of ${cases} cases passed`} on it.
        {skipped === null ? "" : ` ${showLine(skipped)}`}
      </p>
      {flips.length === 0 ? null : (
        <ul class="plain-list" aria-label="Passed before, and fail now">
          {flips.slice(0, 5).map(({ name, error }) => (
            <li key={name}>
              <code>{showLine(name)}</code> passed before and fails now: {showLine(error)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
