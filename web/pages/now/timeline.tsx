import { useMemo, useState } from "preact/hooks";
import type { Call, List } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Section } from "../../components/page.tsx";
import { countOf } from "../../format/amount.ts";
import { summarizeInput } from "../../format/summarize-call.ts";
import { formatDuration } from "../../../src/core/time.ts";
import { formatClock } from "../../format/time.ts";
import { navigate } from "../../router/location.ts";
import { pathTo } from "../../api/query.ts";
import { useNow } from "../../state/clock.ts";
import { useResource } from "../../state/use-resource.ts";
import { layoutLanes, type Span } from "./layout-lanes.ts";

const minutesToChoose = [2, 10, 60] as const;
const mostCalls = 200;
const mostLanes = 10;
const laneHeight = 16;
const barHeight = 12;

interface CallSpan extends Span {
  readonly call: Call;
}

/** What ran beside what, over the last minutes. Its calls are fetched when the page is ready for them. */
export function Timeline({ isReady }: { readonly isReady: boolean }) {
  const [minutes, setMinutes] = useState<number>(minutesToChoose[0]);
  const { data } = useResource<List<Call>>(isReady ? `/api/calls?limit=${mostCalls}` : null, {
    topics: ["calls"],
    paceMs: 1500,
  });
  const now = useNow();
  const spans = useMemo(() => (data?.items ?? []).flatMap(spanOf), [data]);
  const from = now - minutes * 60_000;
  const { placed, count } = layoutLanes(spans, { from, to: now });
  const shown = placed.filter(({ lane }) => lane < mostLanes);
  const words = describe(
    placed.map(({ span }) => span.call),
    count,
  );
  const isPartial = spans.length >= mostCalls && spans.every((span) => span.from > from);
  return (
    <Section
      title="Side by side"
      about={isPartial ? `${words} Only the last ${mostCalls} calls are drawn.` : words}
      actions={
        <div class="segments" role="group" aria-label="How far back">
          {minutesToChoose.map((each) => (
            <Button key={each} pressed={minutes === each} onClick={() => setMinutes(each)}>
              {each} min
            </Button>
          ))}
        </div>
      }
    >
      <div class="card timeline">
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- the same calls are links in the list below */}
        <svg
          role="img"
          aria-label={`Timeline of the last ${minutes} minutes. ${words}`}
          width="100%"
          height={Math.max(3, Math.min(count, mostLanes)) * laneHeight}
          onClick={openCall}
        >
          {[0.25, 0.5, 0.75].map((share) => (
            <line key={share} class="tick" x1={`${share * 100}%`} x2={`${share * 100}%`} y1="0" y2="100%" />
          ))}
          {shown.map(({ span, lane, left, width }) => (
            <rect
              key={span.id}
              data-call={span.id}
              class={`bar ${span.call.state}`}
              x={`${left * 100}%`}
              width={`${width * 100}%`}
              y={lane * laneHeight + (laneHeight - barHeight) / 2}
              height={barHeight}
              rx="2"
            >
              <title>{tooltip(span)}</title>
            </rect>
          ))}
        </svg>
        <div class="axis" aria-hidden="true">
          <span>{formatClock(from)}</span>
          <span>{formatClock((from + now) / 2)}</span>
          <span>now</span>
        </div>
        <ul class="legend" aria-hidden="true">
          {(["running", "completed", "failed", "cancelled"] as const).map((state) => (
            <li key={state}>
              <span class={`swatch ${state}`} />
              {state === "failed" ? "failed or timed out" : state}
            </li>
          ))}
          {count > mostLanes ? <li>{count - mostLanes} more lanes are not drawn</li> : null}
        </ul>
      </div>
    </Section>
  );
}

function spanOf(call: Call): CallSpan[] {
  if (call.started_at === null) return [];
  return [
    {
      id: call.id,
      from: Date.parse(call.started_at),
      to: call.completed_at === null ? null : Date.parse(call.completed_at),
      call,
    },
  ];
}

/** The picture in words. */
function describe(calls: readonly Call[], lanes: number): string {
  if (calls.length === 0) return "Nothing ran.";
  const bad = calls.filter(({ state }) => state === "failed" || state === "timeout").length;
  const went = bad === 0 ? "none failed" : `${bad} failed`;
  const how = lanes > 1 ? `up to ${lanes} at once` : calls.length > 1 ? "one after the other" : "alone";
  return `${countOf(calls.length, "call")}, ${how}, ${went}.`;
}

function tooltip({ call, from, to }: CallSpan): string {
  const took = to === null ? "still running" : formatDuration(to - from);
  return `${call.tool_id ?? call.tool_name} · ${call.state} · ${took}\n${summarizeInput(call.tool_input)}`;
}

/** With a mouse only: the same calls are links in the list below. */
function openCall({ target }: Event): void {
  const id = target instanceof Element ? target.closest("[data-call]")?.getAttribute("data-call") : undefined;
  if (id) navigate(pathTo("calls", id));
}
