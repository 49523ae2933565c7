import type { PageParams } from "../../app/routes.tsx";
import type { Call, List } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Empty, Loading, Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { countOf } from "../../format/amount.ts";
import { usePages } from "../../state/use-pages.ts";
import { useResource } from "../../state/use-resource.ts";
import { CallRows } from "./call-rows.tsx";
import { RunningCall, isUnderWay } from "./running-call.tsx";
import { Sessions } from "./sessions.tsx";
import { Timeline } from "./timeline.tsx";
import { WaitingForYou } from "./waiting-for-you.tsx";

const mostRunning = 100;
/** Live output of more than these at once is for those who ask for it. */
const openAtFirst = 2;

/** What runs at this moment, and what ran just before. */
export function NowPage(_props: PageParams) {
  const running = useResource<List<Call>>(`/api/calls?state=pending,running&limit=${mostRunning}`, {
    topics: ["calls"],
  });
  const recent = usePages<Call>("/api/calls?limit=50", { topics: ["calls"], isRemembered: true });
  const ended = recent.items?.filter((call) => !isUnderWay(call));
  const count = running.data?.items.length ?? 0;
  return (
    <Page title="Now" about={running.data === undefined ? undefined : aboutOf(count)}>
      <div class="columns">
        <div>
          <Timeline isReady={running.data !== undefined && recent.items !== undefined} />
          <Section title="Running">
            {running.error === undefined ? null : <Notice tone="bad">{running.error}</Notice>}
            {running.data === undefined ? <Loading what="what runs" /> : null}
            {running.data !== undefined && count === 0 ? (
              <Empty title="Nothing runs.">Calls appear here the moment they begin.</Empty>
            ) : null}
            <div class="stack">
              {running.data?.items.toSorted(byStart).map((call, index) => (
                <RunningCall key={call.id} call={call} isOpenAtFirst={index < openAtFirst} />
              ))}
            </div>
          </Section>
          <Section title="Before">
            {recent.error === undefined ? null : <Notice tone="bad">{recent.error}</Notice>}
            {ended === undefined ? <Loading what="calls" /> : null}
            {ended?.length === 0 ? <Empty title="No call has ended here yet." /> : null}
            {ended !== undefined && ended.length > 0 ? <CallRows calls={ended} label="Calls that ended" /> : null}
            {recent.hasMore ? (
              <div class="more">
                <Button isBusy={recent.isLoadingMore} onClick={recent.loadMore}>
                  Show older ones
                </Button>
              </div>
            ) : null}
          </Section>
        </div>
        <div>
          <div class="first-on-phone">
            <WaitingForYou />
          </div>
          <Sessions />
        </div>
      </div>
    </Page>
  );
}

function aboutOf(count: number): string {
  if (count === 0) return "Nothing runs at the moment.";
  return `${countOf(count, "call")} under way${count === mostRunning ? ", or more" : ""}.`;
}

/** Those that run before those that wait, the longest first. */
function byStart(a: Call, b: Call): number {
  if (a.state !== b.state) return a.state === "running" ? -1 : 1;
  return a.created_at < b.created_at ? -1 : 1;
}
