import { useMemo } from "preact/hooks";
import { BandChart } from "../../charts/band-chart.tsx";
import { shareInterval } from "../../charts/interval.ts";
import { arms, errorColumns, latencyColumns, type SeriesBucket } from "../../charts/rollout-series.ts";
import { Section } from "../../components/page.tsx";
import { formatNumber } from "../../format/amount.ts";
import { formatClock } from "../../format/time.ts";
import { formatShare } from "./format-share.ts";
import type { RolloutDetail } from "./types.ts";

/** Failures and latency of both versions over time, each with how sure that is. */
export function RolloutCharts({ detail }: { readonly detail: RolloutDetail }) {
  const { series } = detail;
  const errors = useMemo(() => errorColumns(series), [series]);
  const latency = useMemo(() => latencyColumns(series), [series]);
  if (series.length === 0) return null;
  return (
    <Section title="Stable and canary over time">
      <div class="charts">
        <BandChart
          title="Failed calls"
          unit="%"
          columns={errors}
          caption="Line: share of failed calls since the beginning, without wrong results. Band: where the true share lies with 95 % confidence; it narrows with every call."
        >
          <ErrorTable series={series} />
        </BandChart>
        <BandChart
          title="Latency (p95)"
          unit="ms"
          columns={latency}
          caption="Line: what 95 of 100 calls stayed under. Band: where that lies with 95 % confidence; with fewer than 72 calls it is open upwards, as the slowest ones may not have come yet."
        >
          <LatencyTable series={series} />
        </BandChart>
      </div>
    </Section>
  );
}

function ErrorTable({ series }: { readonly series: readonly SeriesBucket[] }) {
  return (
    <details>
      <summary>As a table</summary>
      <table>
        <caption class="visually-hidden">Failed calls in all, with the 95 % interval</caption>
        <thead>
          <tr>
            <th scope="col">version</th>
            <th scope="col">calls</th>
            <th scope="col">failed</th>
            <th scope="col">share</th>
            <th scope="col">95 % interval</th>
          </tr>
        </thead>
        <tbody>
          {arms.map((arm) => {
            const own = series.filter(({ route }) => route === arm);
            const calls = own.reduce((sum, bucket) => sum + bucket.calls, 0);
            const failed = own.reduce((sum, bucket) => sum + bucket.errors, 0);
            const interval = shareInterval(failed, calls);
            return (
              <tr key={arm}>
                <th scope="row">{arm}</th>
                <td class="number">{formatNumber(calls)}</td>
                <td class="number">{formatNumber(failed)}</td>
                <td class="number">{interval ? formatShare(interval.share) : "–"}</td>
                <td class="number">
                  {interval ? `${formatShare(interval.low)} to ${formatShare(interval.high)}` : "–"}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}

/** The newest are enough: the picture has the rest. */
const mostRows = 20;

function LatencyTable({ series }: { readonly series: readonly SeriesBucket[] }) {
  const rows = series.toSorted((one, other) => other.at.localeCompare(one.at)).slice(0, mostRows);
  return (
    <details>
      <summary>As a table</summary>
      <table>
        <caption class="visually-hidden">Latency by time, newest first</caption>
        <thead>
          <tr>
            <th scope="col">from</th>
            <th scope="col">version</th>
            <th scope="col">calls</th>
            <th scope="col">p50</th>
            <th scope="col">p95</th>
            <th scope="col">95 % interval</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((bucket) => (
            <tr key={`${bucket.at} ${bucket.route} ${bucket.version}`}>
              <td class="number">{formatClock(Date.parse(bucket.at))}</td>
              <td>{bucket.route}</td>
              <td class="number">{formatNumber(bucket.calls)}</td>
              <td class="number">{milliseconds(bucket.p50_ms)}</td>
              <td class="number">{milliseconds(bucket.p95_ms)}</td>
              <td class="number">{intervalOf(bucket)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function intervalOf({ p95_low_ms: low, p95_high_ms: high }: SeriesBucket): string {
  if (low === null) return "–";
  return high === null ? `${milliseconds(low)} or more` : `${milliseconds(low)} to ${milliseconds(high)}`;
}

function milliseconds(value: number | null): string {
  return value === null ? "–" : `${Math.round(value)} ms`;
}
