import { useEffect, useState } from "preact/hooks";
import type { PageParams } from "../../app/routes.tsx";
import { withQuery } from "../../api/query.ts";
import type { LogItem } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Empty, Loading, Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { useSearch } from "../../router/use-search.ts";
import { listen } from "../../state/live.ts";
import { createPace } from "../../state/pace.ts";
import { usePages } from "../../state/use-pages.ts";
import { EvidencePanel } from "./evidence-panel.tsx";
import { LogFilters } from "./log-filters.tsx";
import { LogRows } from "./log-rows.tsx";
import { OlderLines } from "./older-lines.tsx";
import { VerifyBadge } from "./verify-badge.tsx";

const livePaceMs = 1000;

/** What was asked, decided and done: every line of it, newest first. */
export function LogPage(_props: PageParams) {
  const [search, change] = useSearch();
  const [isLive, setLive] = useState(true);
  const filter = {
    type: search.get("type"),
    tool: search.get("tool"),
    text: search.get("text"),
    call: search.get("call"),
    conversation: search.get("conversation"),
  };
  const lines = usePages<LogItem>(withQuery("/api/log", { ...filter, limit: 100 }), { isRemembered: true });
  const { reload } = lines;
  useEffect(() => {
    if (!isLive) return undefined;
    const pace = createPace(livePaceMs, reload);
    const stops = [listen("log", pace.ask), listen("changed", (topic) => (topic === null ? pace.ask() : undefined))];
    return () => {
      for (const stop of stops) stop();
      pace.stop();
    };
  }, [isLive, reload]);
  const evidence = search.get("evidence");
  return (
    <Page
      title="Log"
      about={<VerifyBadge isReady={lines.items !== undefined} />}
      actions={
        <Button pressed={!isLive} onClick={() => setLive(!isLive)}>
          <Icon name={isLive ? "pause" : "play"} />
          {isLive ? "Pause" : "Go on"}
        </Button>
      }
    >
      {evidence === null ? null : (
        <EvidencePanel key={evidence} id={evidence} onClose={() => change({ evidence: "" })} />
      )}
      <LogFilters search={search} change={change} />
      {lines.error === undefined ? null : <Notice tone="bad">{lines.error}</Notice>}
      {lines.items === undefined && lines.error === undefined ? <Loading what="the log" /> : null}
      {lines.items?.length === 0 && !lines.hasMore ? (
        <Empty title={Object.values(filter).some(Boolean) ? "No line fits." : "There is no log yet."} />
      ) : null}
      {lines.items && lines.items.length > 0 ? <LogRows items={lines.items} /> : null}
      {lines.hasMore ? <OlderLines pages={lines} /> : null}
    </Page>
  );
}
