import { useEffect, useState } from "preact/hooks";
import type { PageParams } from "../../app/routes.tsx";
import { pathTo, withQuery } from "../../api/query.ts";
import type { InboxEntry } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Empty, Loading, Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Split } from "../../components/split.tsx";
import { navigate } from "../../router/location.ts";
import { useSearch } from "../../router/use-search.ts";
import { useShortcut } from "../../state/shortcuts.ts";
import { usePages } from "../../state/use-pages.ts";
import { countOf } from "../../format/amount.ts";
import { EntryDetail } from "./entry-detail.tsx";
import { InboxRows } from "./inbox-rows.tsx";
import { neighbourOf } from "./neighbour-of.ts";

/** Questions and approvals that wait for a person. */
export function InboxPage({ params }: PageParams) {
  const [search, change] = useSearch();
  const isAll = search.get("state") === "all";
  const path = withQuery("/api/inbox", { state: isAll ? "all" : "waiting", limit: 100 });
  const { items, error, hasMore, isLoadingMore, loadMore } = usePages<InboxEntry>(path, { topics: ["inbox"] });
  const entries = items ?? [];
  // Beside the list there is room for one from the start; a phone shows the list first. It stays when others come before
  // it: somebody may be writing an answer, or have a finger over the key that says yes.
  const [kept, setKept] = useState<Kept>({});
  const opened = kept.id ?? entries.find(({ id, state }) => id !== kept.settled || state !== "waiting")?.id;
  const selected = params["id"] ?? opened;
  useEffect(() => setKept((before) => (before.id === opened ? before : { ...before, id: opened })), [opened]);
  const hrefOf = (id: string | undefined) =>
    withQuery(id === undefined ? "/inbox" : pathTo("inbox", id), { state: isAll ? "all" : "" });
  const move = (step: 1 | -1) => {
    const next = neighbourOf(entries, selected, step);
    if (next !== undefined) navigate(hrefOf(next.id), { replace: true });
  };
  useShortcut("j", () => move(1));
  useShortcut("k", () => move(-1));
  const list = (
    <>
      <div class="segments" role="group" aria-label="Which entries">
        <Button pressed={!isAll} onClick={() => change({ state: "" })}>
          Waiting
        </Button>
        <Button pressed={isAll} onClick={() => change({ state: "all" })}>
          All
        </Button>
      </div>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {items === undefined && error === undefined ? <Loading what="the inbox" /> : null}
      {items?.length === 0 && !hasMore ? (
        <Empty title={isAll ? "Nothing was ever asked here." : "Nothing waits for you."}>
          Questions of agents, and calls that need your yes, come here.
        </Empty>
      ) : null}
      {entries.length > 0 ? <InboxRows entries={entries} current={selected} hrefOf={hrefOf} /> : null}
      {hasMore ? (
        <div class="more">
          <Button isBusy={isLoadingMore} onClick={loadMore}>
            Show older ones
          </Button>
        </div>
      ) : null}
    </>
  );
  return (
    <Page
      title="Inbox"
      about={
        items === undefined || isAll
          ? undefined
          : `${hasMore ? "More than " : ""}${countOf(entries.length, "entry", "entries")} waiting for you.`
      }
    >
      <Split
        list={list}
        detail={
          selected === undefined ? undefined : (
            <EntryDetail
              key={selected}
              id={selected}
              known={entries.find(({ id }) => id === selected)}
              onSettled={() => {
                const next = neighbourOf(entries, selected, 1) ?? neighbourOf(entries, selected, -1);
                setKept({ id: next?.id, settled: selected });
                navigate(hrefOf(next?.id), { replace: true });
              }}
            />
          )
        }
        showsDetail={params["id"] !== undefined}
        back={{ href: hrefOf(undefined), name: "The whole inbox" }}
      />
    </Page>
  );
}

interface Kept {
  /** The entry that is open although no address names it. */
  readonly id?: string | undefined;
  /** Settled here a moment ago: the list may still have it as waiting. */
  readonly settled?: string | undefined;
}
